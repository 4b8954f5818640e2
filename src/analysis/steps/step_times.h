// step_times: how long every step took on every rank.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StepTimesAnalysis();

}  // namespace rankscope
