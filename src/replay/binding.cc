#include "replay/binding.h"

namespace rankscope {

Binding BindingOf(const JobGraph& graph, const Replay& replay, NodeId id) {
  Binding last;
  const Node& node = graph.nodes()[id];
  if (node.previous != kNoNode) last = {node.previous, replay.EndOf(node.previous)};
  for (const NodeEdge& edge : graph.EdgesOf(id)) {
    const std::int64_t ready = replay.EndOf(edge.from) + edge.lag_ns;
    if (ready > last.ready_ns) last = {edge.from, ready, edge.kind};
  }
  return last;
}

}  // namespace rankscope
