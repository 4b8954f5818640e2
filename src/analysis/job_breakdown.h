#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& JobBreakdownAnalysis();

}  // namespace rankscope
