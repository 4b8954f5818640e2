#include "replay/scenario/binding.h"

namespace rankscope {

Binding BindingOf(const JobGraph& graph, const Replay& replay, NodeId id) {
  Binding last;
  const NodeId previous = graph.nodes().PreviousOf(id);
  if (previous != kNoNode) last = {previous, replay.EndOf(previous)};
  for (const NodeEdge& edge : graph.EdgesOf(id)) {
    const std::int64_t ready = replay.EndOf(edge.from) + edge.lag_ns;
    if (ready > last.ready_ns) last = {edge.from, ready, edge.kind};
  }
  return last;
}

}  // namespace rankscope
