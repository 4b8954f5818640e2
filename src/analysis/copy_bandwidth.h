#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& CopyBandwidthAnalysis();

}  // namespace rankscope
