#include "graph/graph.h"

#include <algorithm>

namespace rankscope {

Predecessor BindingPredecessor(const DependencyGraph& graph, SegmentId segment) {
  Predecessor binding;
  const Segment& node = graph.segments[segment];
  if (node.previous != kNoSegment) {
    binding = {.segment = node.previous,
               .ready_ns = std::min(graph.segments[node.previous].end_ns, node.begin_ns)};
  }
  for (const Dependency& dependency : graph.DependenciesOf(segment)) {
    const std::int64_t ready = graph.segments[dependency.from].end_ns + dependency.lag_ns;
    if (binding.segment == kNoSegment || ready > binding.ready_ns)
      binding = {dependency.from, ready, dependency.kind, dependency.inferred};
  }
  return binding;
}

}  // namespace rankscope
