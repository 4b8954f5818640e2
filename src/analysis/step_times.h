// step_times: how long every step took on every rank.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& StepTimesAnalysis();

}  // namespace rankscope
