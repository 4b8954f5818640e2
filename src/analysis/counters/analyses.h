// Performance counters of kernels, ops and steps. docs/counters.md.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelCountersAnalysis();
const Analysis& CounterRooflineAnalysis();
const Analysis& SampledCountersAnalysis();
const Analysis& SampledKernelsAnalysis();

}  // namespace rankscope
