#include "schemas/captures.h"

namespace rankscope {

template const Captures& SchemaOf<Captures>();
template const DataQuality& SchemaOf<DataQuality>();
template const RecordedWork& SchemaOf<RecordedWork>();
template const Recording& SchemaOf<Recording>();

}  // namespace rankscope
