#include "insight/evidence/loss/removal.h"

#include <algorithm>
#include <utility>

#include "base/median.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

bool IsOrdinaryHostWork(Work work) {
  return work == Work::kOp || work == Work::kPython || work == Work::kLaunchCall ||
         work == Work::kOtherCall;
}

enum class LaunchOf : std::uint8_t { kNothing, kThese, kOthers };

// A launch edge leads from the host's time before the call; the call itself is the next node. So
// the time from one launch to the next belongs to the second, but for the first one's call.
class Launches {
 public:
  Launches(const JobGraph& graph, const std::vector<bool>& of_device)
      : graph_(graph), of_(graph.nodes().size(), LaunchOf::kNothing) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      for (const NodeEdge& edge : graph.EdgesOf(node)) {
        if (edge.kind != DependencyKind::kLaunch) continue;
        if (!of_device[node])
          of_[edge.from] = LaunchOf::kOthers;
        else if (of_[edge.from] == LaunchOf::kNothing)
          of_[edge.from] = LaunchOf::kThese;
      }
    }
  }

  // Calls visit(node, of) for the nodes that launch.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (NodeId node = 0; node < of_.size(); ++node) {
      if (of_[node] != LaunchOf::kNothing) visit(node, of_[node]);
    }
  }

  // Calls visit(node) for the host's work that ends in this launch, back to the launch before.
  template <typename Visit>
  void Walk(NodeId launching, const Visit& visit) const {
    NodeId at = launching;
    while (at != kNoNode && IsOrdinaryHostWork(graph_.KindOf(at).work)) {
      const NodeId before = graph_.nodes()[at].previous;
      const bool is_behind_launch = before != kNoNode && of_[before] != LaunchOf::kNothing;
      const bool is_call_of_other = is_behind_launch && graph_.KindOf(at).work == Work::kLaunchCall;
      if (!is_call_of_other || of_[before] == LaunchOf::kThese) visit(at);
      if (is_behind_launch) break;
      at = before;
    }
  }

  std::int64_t CostOf(NodeId launching) const {
    std::int64_t ns = 0;
    Walk(launching, [&](NodeId at) { ns += graph_.nodes().DurationOf(at); });
    return ns;
  }

 private:
  const JobGraph& graph_;
  std::vector<LaunchOf> of_;  // by node
};

}  // namespace

std::int64_t MostOfALaunch(std::vector<std::int64_t> costs) {
  constexpr std::int64_t kTimesOfLaunch = 10;
  constexpr std::int64_t kLeastLongNs = 200'000;
  return std::max(kLeastLongNs, kTimesOfLaunch * MedianOf(costs));
}

std::vector<bool> WithLaunches(const JobGraph& graph, std::vector<bool> of_device) {
  const Launches launches(graph, of_device);
  std::vector<std::int64_t> costs;
  launches.ForEach([&](NodeId node, LaunchOf) { costs.push_back(launches.CostOf(node)); });
  if (costs.empty()) return of_device;
  const std::int64_t most = MostOfALaunch(std::move(costs));
  std::vector<bool> removed = std::move(of_device);
  launches.ForEach([&](NodeId node, LaunchOf of) {
    if (of != LaunchOf::kThese || launches.CostOf(node) > most) return;
    launches.Walk(node, [&](NodeId at) { removed[at] = true; });
  });
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
