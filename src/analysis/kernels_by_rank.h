#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelsByRankAnalysis();

}  // namespace rankscope
