#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& RecomputationAnalysis();

}  // namespace rankscope
