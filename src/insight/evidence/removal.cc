#include "insight/evidence/removal.h"

#include <algorithm>

#include "trace/device_api.h"

namespace rankscope {
namespace {

bool IsOrdinaryHostWork(Work work) {
  return work == Work::kOp || work == Work::kPython || work == Work::kLaunchCall ||
         work == Work::kOtherCall;
}

}  // namespace

std::vector<bool> WithLaunches(const JobGraph& graph, std::vector<bool> of_device) {
  // A launch edge leads from the host's time before the call; the call itself is the next node. So
  // the time from one launch to the next belongs to the second, but for the first one's call.
  std::vector<std::uint8_t> launches(graph.nodes().size(),
                                     0);  // 1: one of these, 2: something else
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    for (const NodeEdge& edge : graph.EdgesOf(node)) {
      if (edge.kind == DependencyKind::kLaunch) launches[edge.from] |= of_device[node] ? 1 : 2;
    }
  }
  std::vector<bool> removed = of_device;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (launches[node] != 1) continue;
    // Back to the launch before.
    NodeId at = node;
    while (at != kNoNode && IsOrdinaryHostWork(graph.KindOf(at).work)) {
      const NodeId before = graph.nodes()[at].previous;
      const bool is_call_of_other =
          before != kNoNode && launches[before] != 0 && graph.KindOf(at).work == Work::kLaunchCall;
      if (!is_call_of_other || launches[before] == 1) removed[at] = true;
      if (is_call_of_other || (before != kNoNode && launches[before] != 0)) break;
      at = before;
    }
  }
  return removed;
}

void Remove(const std::vector<bool>& nodes, Scenario& scenario) {
  const JobGraph& graph = scenario.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!nodes[node]) continue;
    scenario.SetDuration(node, 0);
    if (!IsDevice(graph.KindOf(node).work) || !graph.Waits(node)) continue;
    // A longer gap has another reason than launching.
    if (scenario.GapOf(node) <= kLaunchLimitNs)
      scenario.SetGap(node, std::min<std::int64_t>(scenario.GapOf(node), 0));
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      // The work behind it must not wait for a launch that is not made; with no other edge the
      // order on the stream remains.
      if (edges[i].kind == DependencyKind::kLaunch && graph.nodes()[node].previous != kNoNode)
        scenario.Cut(graph.nodes()[node].first_edge + i);
    }
  }
}

}  // namespace rankscope
