#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelStepsAnalysis();

}  // namespace rankscope
