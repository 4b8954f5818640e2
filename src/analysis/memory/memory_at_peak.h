// memory_at_peak: what holds the memory when it is highest.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemoryAtPeakAnalysis();

}  // namespace rankscope
