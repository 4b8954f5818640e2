#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CopiesAnalysis();

}  // namespace rankscope
