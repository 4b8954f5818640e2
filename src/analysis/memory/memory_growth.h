// memory_growth: does memory grow from step to step?
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemoryGrowthAnalysis();

}  // namespace rankscope
