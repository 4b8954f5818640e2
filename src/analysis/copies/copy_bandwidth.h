#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CopyBandwidthAnalysis();

}  // namespace rankscope
