// memory_peaks: how much memory each step holds and allocates.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemoryPeaksAnalysis();

}  // namespace rankscope
