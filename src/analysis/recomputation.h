#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& RecomputationAnalysis();

}  // namespace rankscope
