#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& ClassOverlapAnalysis();

}  // namespace rankscope
