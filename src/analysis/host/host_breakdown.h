// host_breakdown: what the host threads did, window by window.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& HostBreakdownAnalysis();

}  // namespace rankscope
