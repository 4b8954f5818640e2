#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ClassOverlapAnalysis();

}  // namespace rankscope
