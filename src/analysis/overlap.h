#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& OverlapAnalysis();

}  // namespace rankscope
