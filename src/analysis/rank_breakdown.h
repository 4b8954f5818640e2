#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& RankBreakdownAnalysis();

}  // namespace rankscope
