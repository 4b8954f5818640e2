// The mapper of the replay: a recording's dependency graph as nodes with kinds.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

// Partial: NodeKindPartial, NodePartial, NodeEdgePartial, NodeStepPartial. About three nodes per
// launch.
const Mapper& NodesMapper();

}  // namespace rankscope
