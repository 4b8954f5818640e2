// flame_graph: the call stacks of all ranks merged into one tree of bounded size, with host and
// device time.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& FlameGraphAnalysis();

}  // namespace rankscope
