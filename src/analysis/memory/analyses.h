// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& AllocatorCallsAnalysis();
const Analysis& MemoryAtPeakAnalysis();
const Analysis& MemoryGrowthAnalysis();
const Analysis& MemoryOutlivingAnalysis();
const Analysis& MemoryOverTimeAnalysis();
const Analysis& MemoryPeaksAnalysis();

}  // namespace rankscope
