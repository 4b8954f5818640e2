#include "schemas/ops.h"

namespace rankscope {

template const OpInputs& SchemaOf<OpInputs>();
template const ExecutionTraceOps& SchemaOf<ExecutionTraceOps>();
template const Lines& SchemaOf<Lines>();
template const Modules& SchemaOf<Modules>();

}  // namespace rankscope
