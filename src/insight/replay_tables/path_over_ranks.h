// path_over_ranks: what the critical path through all ranks consists of.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& PathOverRanksAnalysis();

}  // namespace rankscope
