#include "insight/evidence/host_work/host_stalls.h"

#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/steps/step_costs.h"

namespace rankscope {

Scenario WithoutStalls(const RuleInput& input, const HostStalls& stalls) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  std::vector<bool> is_gone(graph.nodes().size(), false);
  for (const NodeId node : stalls.nodes) is_gone[node] = graph.KindOf(node).work != Work::kPython;
  for (NodeId node = 0; node < is_gone.size(); ++node) {
    const NodeId before = graph.nodes()[node].previous;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kLaunch && is_gone[edges[i].from])
        without.SetDuration(node, 0);
      if (edges[i].kind == DependencyKind::kSync && before != kNoNode && is_gone[before])
        without.Cut(graph.nodes()[node].first_edge + i);
    }
  }
  for (std::size_t i = 0; i < stalls.nodes.size(); ++i)
    without.SetDuration(stalls.nodes[i], stalls.usual_ns[i]);
  return without;
}

HostStalls StallsOf(const RuleInput& input, Work work) {
  HostStalls stalls;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work == work) stalls.Add(node, 0);
  });
  return stalls;
}

std::optional<Cause> CauseOfStalls(const RuleInput& input, const HostStalls& stalls, Doing doing) {
  NodeSums sums(input);
  StepCosts costs(input);
  for (std::size_t i = 0; i < stalls.nodes.size(); ++i) {
    const NodeId node = stalls.nodes[i];
    const std::int64_t lost = input.graph().nodes()[node].duration_ns - stalls.usual_ns[i];
    sums.Add(node, static_cast<double>(lost));
    costs.Add(node, lost);
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  costs.TellIn(cause);
  const std::size_t steps = cause.steps.empty() ? input.counted().size() : cause.steps.size();
  cause.without = WithoutStalls(input, stalls);
  cause.what =
      fmt::format("{} {} ({}, in {} step{} of {})", WhoText(input, cause.ranks),
                  cause.ranks.size() == 1 ? doing.one : doing.many,
                  TimeText(sums.lost_ns() / static_cast<double>(steps * cause.ranks.size())), steps,
                  steps == 1 ? "" : "s", input.counted().size());
  return cause;
}

}  // namespace rankscope
