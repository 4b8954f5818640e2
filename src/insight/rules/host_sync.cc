// host-sync: the host waits for the device again and again.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "insight/cause_tools.h"
#include "insight/evidence/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A wait of a host for its device: the node behind it, and the edge.
struct Wait {
  NodeId node = kNoNode;
  std::size_t edge = 0;
};

std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Wait>> WaitsByRankAndStep(
    const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Wait>> waits;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep || IsDevice(graph.KindOf(node).work)) continue;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync)
        waits[{input.RankOf(node), step}].push_back({node, graph.nodes()[node].first_edge + i});
    }
  }
  return waits;
}

std::optional<Cause> Find(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const auto& [where, of_step] : WaitsByRankAndStep(input)) {
    // The last of a step is what every training loop does: it reads the loss.
    for (std::size_t i = 0; i + 1 < of_step.size(); ++i) {
      const Wait& wait = of_step[i];
      const NodeId before = graph.nodes()[wait.node].previous;
      // Frees and the like have a rule of their own.
      if (before != kNoNode && graph.KindOf(before).work == Work::kAllocator) continue;
      if (graph.KindOf(wait.node).work == Work::kAllocator) continue;
      without.Cut(wait.edge);
      if (before == kNoNode) {
        sums.Add(wait.node, 0);
      } else {
        const std::int64_t waited = input.now().BeginOf(wait.node) - input.now().EndOf(before);
        sums.AddShown(wait.node, before, static_cast<double>(std::max<std::int64_t>(0, waited)));
      }
    }
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format("the host waits for its device {:.0f} times a step, {} in all",
                           sums.CountPerStep(), TimeText(sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& HostSyncRule() {
  static const Rule kRule{
      .id = "host-sync",
      .find = Find,
      .why =
          "waits of the main thread for device work (item, nonzero, copies to the host, "
          "synchronising calls), but for the last of a step, which reads the loss",
      .recommendation =
          "Keep values on the device: torch.where in place of if x.item() > 0, no .item(), .cpu(), "
          "nonzero() or boolean masks in the step; log every hundredth step; copy with "
          "non_blocking=True from pinned memory.",
      .command = "rankscope table launches TRACES",
  };
  return kRule;
}

}  // namespace rankscope
