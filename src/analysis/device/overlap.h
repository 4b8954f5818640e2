#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& OverlapAnalysis();

}  // namespace rankscope
