// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& DeviceStepsAnalysis();
const Analysis& JobBreakdownAnalysis();
const Analysis& PhasesAnalysis();
const Analysis& RankBreakdownAnalysis();
const Analysis& StepPhasesAnalysis();
const Analysis& StepSpreadAnalysis();
const Analysis& StepTimesAnalysis();
const Analysis& TimeBreakdownAnalysis();

}  // namespace rankscope
