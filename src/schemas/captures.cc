#include "schemas/captures.h"

namespace rankscope {

template const Captures& SchemaOf<Captures>();
template const DataQuality& SchemaOf<DataQuality>();

}  // namespace rankscope
