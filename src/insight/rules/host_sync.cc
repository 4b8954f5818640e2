// host-sync: the host waits for the device again and again.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// A wait of a host for its device: the node behind it, and the edge.
struct Wait {
  NodeId node = kNoNode;
  std::size_t edge = 0;
};

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Wait>> waits;  // by rank, step
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep || IsDevice(graph.KindOf(node).work)) continue;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync)
        waits[{input.RankOf(node), step}].push_back({node, graph.nodes()[node].first_edge + i});
    }
  }
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  std::size_t count = 0;
  for (const auto& [where, of_step] : waits) {
    // The last of a step is what every training loop does: it reads the loss.
    for (std::size_t i = 0; i + 1 < of_step.size(); ++i) {
      const Wait& wait = of_step[i];
      const NodeId before = graph.nodes()[wait.node].previous;
      // Frees and the like have a rule of their own.
      if (before != kNoNode && graph.KindOf(before).work == Work::kAllocator) continue;
      if (graph.KindOf(wait.node).work == Work::kAllocator) continue;
      without.Cut(wait.edge);
      if (!input.Counts(wait.node)) continue;
      ranks.insert(where.first);
      nodes.push_back(before == kNoNode ? wait.node : before);
      ++count;
      if (before != kNoNode)
        lost +=
            std::max<std::int64_t>(0, input.now().BeginOf(wait.node) - input.now().EndOf(before));
    }
  }
  if (count == 0) return;
  Cause cause;
  cause.id = "host-sync";
  cause.tier = Tier::kProgram;
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const double rank_steps = static_cast<double>(ranks.size() * input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / rank_steps);
  cause.what = fmt::format("the host waits for its device {:.0f} times a step, {} in all",
                           static_cast<double>(count) / rank_steps,
                           TimeText(static_cast<double>(lost) / rank_steps));
  cause.why =
      "waits of the main thread for device work (item, nonzero, copies to the host, "
      "synchronising calls), but for the last of a step, which reads the loss";
  cause.recommendation =
      "Keep values on the device: torch.where in place of if x.item() > 0, no .item(), .cpu(), "
      "nonzero() or boolean masks in the step; log every hundredth step; copy with "
      "non_blocking=True from pinned memory.";
  cause.command = "rankscope table launches TRACES";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& HostSyncRule() {
  static const Rule kRule{.ids = {"host-sync"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
