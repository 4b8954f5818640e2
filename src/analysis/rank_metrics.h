#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& RankMetricsAnalysis();

}  // namespace rankscope
