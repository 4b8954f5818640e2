#include "replay/scenario/slack.h"

#include <algorithm>
#include <span>

namespace rankscope {

std::vector<std::int64_t> SlackOf(const JobGraph& graph, const Scenario& scenario,
                                  const Replay& replay) {
  constexpr std::int64_t kNever = INT64_MAX;
  // At first the latest end of each node, kNever: any.
  std::vector<std::int64_t> latest(graph.nodes().size(), kNever);
  std::vector<bool> counted(graph.steps().size(), false);
  for (const std::size_t step : CountedSteps(graph)) counted[step] = true;
  const auto must_end = [&](NodeId node, std::int64_t t) {
    latest[node] = std::min(latest[node], t);
  };
  // The node must begin by t.
  const auto must_begin = [&](NodeId id, std::int64_t t) {
    if (t == kNever) return;
    const NodeId previous = graph.nodes().PreviousOf(id);
    const std::int64_t ready = t - scenario.GapOf(id);
    if (previous != kNoNode) must_end(previous, ready);
    for (const NodeEdge& edge : graph.EdgesOf(id)) must_end(edge.from, ready - edge.lag_ns);
  };
  const auto before = [](std::int64_t t, std::int64_t duration) {
    return t == kNever ? kNever : t - duration;
  };
  const std::span<const NodeId> order = graph.order();
  for (std::size_t end = order.size(); end > 0;) {
    const std::uint32_t rendezvous = graph.nodes().RendezvousOf(order[end - 1]);
    const std::size_t count = rendezvous == kNoRendezvous ? 1 : graph.meetings()[rendezvous].count;
    std::int64_t arrived = kNever;  // when all members must have come
    for (std::size_t i = end - count; i < end; ++i) {
      const NodeId id = order[i];
      if (graph.EndsStep(id) && counted[graph.StepOf(id)])
        must_end(id, replay.StepEnd(graph.StepOf(id)));
      if (!graph.IsEager(id))
        arrived = std::min(arrived, before(latest[id], scenario.DurationOf(id)));
    }
    for (std::size_t i = end - count; i < end; ++i) {
      const NodeId id = order[i];
      const std::int64_t own = before(latest[id], scenario.DurationOf(id));
      must_begin(id, rendezvous == kNoRendezvous ? own : std::min(arrived, own));
    }
    end -= count;
  }
  for (NodeId node = 0; node < latest.size(); ++node) {
    if (latest[node] != kNever) latest[node] -= replay.EndOf(node);
  }
  return latest;
}

}  // namespace rankscope
