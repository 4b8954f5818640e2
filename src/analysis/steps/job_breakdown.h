#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& JobBreakdownAnalysis();

}  // namespace rankscope
