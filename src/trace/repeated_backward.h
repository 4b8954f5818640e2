// Backward that goes through the same part of autograd's graph more than once.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row 1 when it is one of a node of autograd's graph that the engine evaluated before (or
// inside it), else 0; empty when none was. A node is told by its name and the sequence number and
// thread of its forward op, which no other op of the process has. It is evaluated again where the
// graph was retained: for each of several losses, for a pass whose gradients into it nobody uses,
// for each row of a Jacobian.
//
// Nodes that were evaluated to be differentiated themselves (create_graph: ops inside recorded
// themselves for autograd) are not among them: that their graph is gone through again is what it
// was made for. What has no forward op (AccumulateGrad) goes with the node that the engine
// evaluated before it.
// Linear, and in the order of the nodes where they are sorted.
std::vector<std::uint8_t> RepeatedBackwardRows(const RankTrace& trace);

}  // namespace rankscope
