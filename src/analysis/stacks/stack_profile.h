// stack_profile: all call stacks of all ranks as one tree, for the files of other tools that
// `rankscope trace stacks` writes. Not in the list of analyses: flame_graph is the table for
// people.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

// A row per frame, parents first: parent (row, null for none), name, host_ns and device_ns of the
// frame itself. Names lack addresses of objects and numbers of steps; kernels and copies are frames
// inside the call that launched them. The option by_rank=1 puts each rank's stacks inside a frame
// "rank N".
const Analysis& StackProfileAnalysis();

}  // namespace rankscope
