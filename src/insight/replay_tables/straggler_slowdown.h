// straggler_slowdown: the cost of stragglers, by dp rank, stage and type of work.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StragglerSlowdownAnalysis();

}  // namespace rankscope
