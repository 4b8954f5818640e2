// time_breakdown: where the time of every device went, window by window.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& TimeBreakdownAnalysis();

}  // namespace rankscope
