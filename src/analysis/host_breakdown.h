// host_breakdown: what the host threads did, window by window.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& HostBreakdownAnalysis();

}  // namespace rankscope
