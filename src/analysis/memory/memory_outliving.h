// memory_outliving: allocations that outlive their step.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemoryOutlivingAnalysis();

}  // namespace rankscope
