#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& OverRanksAnalysis();

}  // namespace rankscope
