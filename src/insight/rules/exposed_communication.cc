// exposed-communication: traffic of data parallelism, which computing could hide, that nothing
// hides.
//
// Gradients may be reduced while the backward still computes those of earlier layers, and shards of
// parameters gathered while the layers before are computed: all but the last reduction and the
// first gathering of a step can be hidden, as far as there is computing to hide them behind.
// Communication inside a layer (tensor, expert, context parallel) is needed at once.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "insight/cause_tools.h"
#include "insight/exchanges.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::set<std::uint32_t> GroupsOfDataParallel(const RuleInput& input) {
  std::set<std::uint32_t> groups;
  for (const RoleLayout& role : input.across().layout().roles) {
    const DimensionFit& fit = role.Of(Dimension::kData);
    groups.insert(fit.groups.begin(), fit.groups.end());
  }
  return groups;
}

bool IsOfGradients(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter;
}

// Computing of a rank's step, that communication may hide behind.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> ComputeOfSteps(
    const RuleInput& input) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> compute;
  const JobGraph& graph = input.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work == Work::kCompute && kind.phase != Phase::kOptimizer)
      compute[{input.RankOf(node), graph.StepOf(node)}] += graph.nodes()[node].duration_ns;
  }
  return compute;
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  const std::set<std::uint32_t> groups = GroupsOfDataParallel(input);
  if (groups.empty()) return;
  const Exchanges exchanges(input);
  const auto begin_of = [&](const Exchange& exchange) {
    return input.now().BeginOf(graph.MembersOf(graph.meetings()[exchange.meeting]).front());
  };
  // Of a group, in a step, in one direction.
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<const Exchange*>> by_step;
  for (const Exchange& exchange : exchanges.all()) {
    const bool gathers = exchange.op == CollectiveOp::kAllGather;
    if (!groups.contains(exchange.group) || (!gathers && !IsOfGradients(exchange.op)) ||
        graph.meetings()[exchange.meeting].collective == UINT32_MAX)
      continue;
    by_step[{exchange.group, exchange.step, gathers}].push_back(&exchange);
  }
  const auto compute = ComputeOfSteps(input);
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::map<std::string, std::int64_t> by_kind;
  for (auto& [where, of_step] : by_step) {
    std::sort(of_step.begin(), of_step.end(),
              [&](const Exchange* a, const Exchange* b) { return begin_of(*a) < begin_of(*b); });
    const bool gathers = std::get<2>(where);
    if (gathers) {
      of_step.erase(of_step.begin());
    } else {
      of_step.pop_back();
    }
    std::int64_t transfers = 0;
    for (const Exchange* exchange : of_step) transfers += exchange->transfer_ns;
    if (transfers == 0) continue;
    const auto room = compute.find({of_step.front()->ranks.front(), std::get<1>(where)});
    const double hidden =
        room == compute.end()
            ? 0
            : std::min(1.0, static_cast<double>(room->second) / static_cast<double>(transfers));
    for (const Exchange* exchange : of_step) {
      Exchanges::SetTransfer(
          graph, *exchange,
          static_cast<std::int64_t>((1 - hidden) * static_cast<double>(exchange->transfer_ns)),
          without);
      if (!exchange->counts) continue;
      ranks.insert(exchange->ranks.begin(), exchange->ranks.end());
      by_kind[exchanges.Describe(input, *exchange)] += exchange->transfer_ns;
      const auto members = graph.MembersOf(graph.meetings()[exchange->meeting]);
      nodes.insert(nodes.end(), members.begin(), members.end());
    }
  }
  if (nodes.empty()) return;
  Cause cause;
  cause.id = "exposed-communication";
  cause.tier = Tier::kNature;
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.lost_ns = static_cast<std::int64_t>(std::max(0.0, input.GainOf(without)) * input.step_ns());
  const auto largest =
      std::max_element(by_kind.begin(), by_kind.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "{} a step of data-parallel communication is not hidden by computing, most of it {}",
      TimeText(static_cast<double>(*cause.lost_ns)), largest->first);
  cause.why =
      "all but the last reduction and the first gathering of a step could run beside the computing "
      "of other layers; replayed with as much of them hidden as there is computing";
  cause.recommendation =
      "Start reductions during the backward: DistributedDataParallel with bucket_cap_mb=25 and "
      "gradient_as_bucket_view=True, overlap_grad_reduce=True (Megatron-LM); FSDP: "
      "forward_prefetch=True, backward_prefetch=BACKWARD_PRE, and no synchronisation between "
      "layers.";
  cause.command = "rankscope table exposed_communication TRACES";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& ExposedCommunicationRule() {
  static const Rule kRule{.ids = {"exposed-communication"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
