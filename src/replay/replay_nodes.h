// The replay itself: the times of a stretch of the order, whoever keeps them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

// Goes through the graph's order from place `from` to `to`, and to the end of the rendezvous that
// stands there; returns where it came to. Times has BeginOf(node) and EndOf(node) of all nodes that
// stand before, and SetBegin(node, ns), SetEnd(node, ns) for those of the stretch.
template <typename Times>
std::size_t ReplayNodes(const JobGraph& graph, const Scenario& scenario, std::size_t from,
                        std::size_t to, Times&& times) {
  const std::span<const Node> nodes = graph.nodes();
  const std::vector<NodeId>& order = graph.order();
  const auto begin_of = [&](NodeId id) {
    const Node& node = nodes[id];
    std::int64_t ready = INT64_MIN;
    // What overlaps is passed over, down to the work before it.
    NodeId previous = node.previous;
    while (previous != kNoNode && scenario.Overlaps(previous)) {
      ready = std::max(ready, times.BeginOf(previous));
      previous = nodes[previous].previous;
    }
    if (previous != kNoNode) ready = std::max(ready, times.EndOf(previous));
    const std::span<const NodeEdge> edges = graph.EdgesOf(id);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!scenario.IsCut(node.first_edge + i))
        ready = std::max(ready, times.EndOf(edges[i].from) + edges[i].lag_ns);
    }
    return (ready == INT64_MIN ? 0 : ready) + scenario.GapOf(id);
  };
  std::size_t i = from;
  while (i < to) {
    const NodeId id = order[i];
    const std::uint32_t rendezvous = nodes[id].rendezvous;
    if (rendezvous == kNoRendezvous) {
      const std::int64_t begin = begin_of(id);
      times.SetBegin(id, begin);
      times.SetEnd(id, begin + scenario.DurationOf(id));
      ++i;
      continue;
    }
    const std::size_t count = graph.meetings()[rendezvous].count;
    std::int64_t last = INT64_MIN;
    for (std::size_t k = i; k < i + count; ++k) {
      const std::int64_t begin = begin_of(order[k]);
      times.SetBegin(order[k], begin);
      last = std::max(last, begin);
    }
    for (std::size_t k = i; k < i + count; ++k) {
      const std::int64_t begun = graph.IsEager(order[k]) ? times.BeginOf(order[k]) : last;
      times.SetEnd(order[k], begun + scenario.DurationOf(order[k]));
    }
    i += count;
  }
  return i;
}

}  // namespace rankscope
