// The binding predecessor of a node: the next node on a path back from its begin.
#pragma once

#include <cstdint>

#include "replay/scenario/scenario.h"

namespace rankscope {

struct Binding {
  NodeId node = kNoNode;  // kNoNode: it waits for nothing
  std::int64_t ready_ns = INT64_MIN;
  DependencyKind kind = DependencyKind::kOrder;
};

// Among equals, the previous work on its thread or stream. O(edges of the node).
Binding BindingOf(const JobGraph& graph, const Replay& replay, NodeId node);

}  // namespace rankscope
