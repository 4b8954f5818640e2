#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& CopiesAnalysis();

}  // namespace rankscope
