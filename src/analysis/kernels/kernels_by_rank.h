#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelsByRankAnalysis();

}  // namespace rankscope
