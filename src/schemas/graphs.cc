#include "schemas/graphs.h"

namespace rankscope {

template const Graphs& SchemaOf<Graphs>();
template const GraphOps& SchemaOf<GraphOps>();

}  // namespace rankscope
