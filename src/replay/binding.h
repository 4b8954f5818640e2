// What a node waited for last: where a walk back from its begin goes on.
#pragma once

#include <cstdint>

#include "replay/scenario.h"

namespace rankscope {

struct Binding {
  NodeId node = kNoNode;  // kNoNode: it waits for nothing
  std::int64_t ready_ns = INT64_MIN;
  DependencyKind kind = DependencyKind::kOrder;
};

// Of equals the work before it on its thread or stream. O(edges of the node).
Binding BindingOf(const JobGraph& graph, const Replay& replay, NodeId node);

}  // namespace rankscope
