// Repeated backward passes through the same part of autograd's graph.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row 1 if it belongs to (or is inside) a node of autograd's graph that the engine
// evaluated before, else 0; empty if there is none. A node is identified by its name and by the
// sequence number and thread of its forward op, which are unique in the process. It is evaluated
// again if the graph was retained: for each of several losses, for a pass with unused gradients
// into it, for each row of a Jacobian.
//
// Nodes that were evaluated for differentiation (create_graph: ops inside recorded themselves for
// autograd) are excluded, because their graph is meant to be traversed again. A node without a
// forward op (AccumulateGrad) belongs to the node that the engine evaluated before it. Linear, and
// in the order of the nodes where they are sorted.
std::vector<std::uint8_t> RepeatedBackwardRows(const RankTrace& trace);

}  // namespace rankscope
