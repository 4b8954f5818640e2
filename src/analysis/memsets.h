#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& MemsetsAnalysis();

}  // namespace rankscope
