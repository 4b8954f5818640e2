#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StreamGapsAnalysis();

}  // namespace rankscope
