#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& RankMetricsAnalysis();

}  // namespace rankscope
