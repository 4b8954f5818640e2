#include "schemas/stacks.h"

namespace rankscope {

template const FlameGraph& SchemaOf<FlameGraph>();

}  // namespace rankscope
