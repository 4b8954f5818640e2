#include "schemas/straggler.h"

namespace rankscope {

template const Operations& SchemaOf<Operations>();
template const StragglerSlowdown& SchemaOf<StragglerSlowdown>();

}  // namespace rankscope
