#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& OverRanksAnalysis();

}  // namespace rankscope
