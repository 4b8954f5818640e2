// memory_outliving: allocations that outlive their step.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& MemoryOutlivingAnalysis();

}  // namespace rankscope
