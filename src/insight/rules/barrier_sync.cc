// barrier-sync: a barrier in every step.
#include <fmt/core.h>

#include <set>
#include <string>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindBarrierSync(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  std::vector<bool> is_barrier(graph.nodes().size(), false);
  std::set<std::uint32_t> steps;
  std::size_t count = 0;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op != CollectiveOp::kBarrier || exchange.step == kNoStep) continue;
    count += exchange.counts ? 1 : 0;
    if (exchange.counts) steps.insert(exchange.step);
    for (const NodeId node : Exchanges::MembersOf(graph, exchange)) {
      is_barrier[node] = true;
      without.SetDuration(node, 0);
      without.Overlap(node);
      sums.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
    }
  }
  // Once is a start or an end; in every step it is a habit.
  if (steps.empty() || steps.size() < input.counted().size()) return std::nullopt;
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    const NodeEdge of = graph.edge(edge);
    if (is_barrier[of.from] && of.kind != DependencyKind::kLaunch) without.Cut(edge);
  }
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const double per_step = static_cast<double>(count) / static_cast<double>(steps.size());
  cause.what = per_step <= 1
                   ? fmt::format("a barrier waits for all ranks {}", InEveryStepText(input))
                   : fmt::format("{} wait for all ranks {}", CountText(per_step, "barrier"),
                                 InEveryStepText(input));
  return cause;
}

}  // namespace

const Rule& BarrierSyncRule() {
  static const Rule kRule{
      .id = "barrier-sync",
      .summary = "a barrier in every step",
      .takes = Takes::kSync,
      .find = FindBarrierSync,
      .why = "collectives \"barrier\" in every step; replayed with nobody waiting for them",
      .recommendation =
          "Remove torch.distributed.barrier() from the loop: collectives order ranks where data is "
          "exchanged. Before a checkpoint or an evaluation, once per n steps, it costs little.",
      .command = "rankscope table collective_ranks TRACES",
  };
  return kRule;
}

}  // namespace rankscope
