#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelStepsAnalysis();

}  // namespace rankscope
