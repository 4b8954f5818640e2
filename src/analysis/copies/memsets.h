#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& MemsetsAnalysis();

}  // namespace rankscope
