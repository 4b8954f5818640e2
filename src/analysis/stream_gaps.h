#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& StreamGapsAnalysis();

}  // namespace rankscope
