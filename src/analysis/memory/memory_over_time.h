// memory_over_time: allocated and reserved bytes over time.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemoryOverTimeAnalysis();

}  // namespace rankscope
