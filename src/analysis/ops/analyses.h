// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ExecutionTraceOpsAnalysis();
const Analysis& LinesAnalysis();
const Analysis& ModulesAnalysis();
const Analysis& OpsAnalysis();
const Analysis& OpsByShapeAnalysis();
const Analysis& RecomputationAnalysis();
const Analysis& StepWorkAnalysis();

}  // namespace rankscope
