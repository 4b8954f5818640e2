#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& RankBreakdownAnalysis();

}  // namespace rankscope
