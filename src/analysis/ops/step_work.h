// step_work: the device's time by place in the program, step by step.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StepWorkAnalysis();

}  // namespace rankscope
