// memory_over_time: allocated and reserved bytes over time.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& MemoryOverTimeAnalysis();

}  // namespace rankscope
