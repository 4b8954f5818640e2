// Ops and their nodes in an execution trace.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ExecutionTraceOpsAnalysis();

}  // namespace rankscope
