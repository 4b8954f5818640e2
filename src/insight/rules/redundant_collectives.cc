// redundant-collectives: the same data is moved in every step.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/evidence/loss/removal.h"
#include "insight/rules/rules.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// From trainers to generators go weights that these do not have.
bool IsBetweenRoles(const RuleInput& input, const Exchange& exchange) {
  const auto role_of = [&](std::uint32_t rank) {
    return input.across().layout().places[rank].role;
  };
  return std::any_of(exchange.ranks.begin(), exchange.ranks.end(), [&](std::uint32_t rank) {
    return role_of(rank) != role_of(exchange.ranks.front());
  });
}

// Groups of data parallelism in which many small broadcasts of the same sizes are made in every
// step: buffers, one by one. Ranks of such a group differ in their data alone, so what one has the
// others need as their state, and had it after the step before.
std::set<std::uint32_t> GroupsOfBuffers(const RuleInput& input) {
  const std::set<std::uint32_t> data_parallel = DataParallelGroups(input);
  std::map<std::uint32_t, std::map<std::uint32_t, std::multiset<std::int64_t>>> sizes;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op == CollectiveOp::kBroadcast && exchange.counts && exchange.bytes > 0 &&
        exchange.bytes < kBroadcastBytes && data_parallel.contains(exchange.group))
      sizes[exchange.group][exchange.step].insert(exchange.bytes);
  }
  std::set<std::uint32_t> groups;
  for (const auto& [group, by_step] : sizes) {
    const auto& first = by_step.begin()->second;
    if (first.size() >= kManySmall && by_step.size() == input.counted().size() &&
        std::all_of(by_step.begin(), by_step.end(),
                    [&](const auto& one) { return one.second == first; }))
      groups.insert(group);
  }
  return groups;
}

// Most of the large broadcasts' time comes behind the first kernel of the optimizer in their step:
// of an optimizer whose state is sharded (ZeRO-1).
bool AreOfUpdatedParameters(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> updates;  // by rank and step
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute || kind.phase != Phase::kOptimizer) return;
    const std::int64_t begin = input.now().BeginOf(node);
    const auto [found, is_new] =
        updates.try_emplace({input.RankOf(node), graph.StepOf(node)}, begin);
    found->second = std::min(found->second, begin);
  });
  std::int64_t all_ns = 0, behind_ns = 0;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op != CollectiveOp::kBroadcast || exchange.bytes < kBroadcastBytes ||
        !exchange.counts)
      continue;
    const NodeId member = Exchanges::MembersOf(graph, exchange).front();
    const auto update = updates.find({input.RankOf(member), graph.StepOf(member)});
    all_ns += exchange.transfer_ns;
    if (update != updates.end() && input.now().BeginOf(member) > update->second)
      behind_ns += exchange.transfer_ns;
  }
  return 2 * behind_ns > all_ns;
}

// By rank and step, of what begins there first.
using Begins = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

void NoteFirst(const RuleInput& input, NodeId node, Begins& begins) {
  const std::int64_t begin = input.now().BeginOf(node);
  const auto [found, is_new] =
      begins.try_emplace({input.RankOf(node), input.graph().StepOf(node)}, begin);
  found->second = std::min(found->second, begin);
}

std::int64_t FirstOf(const Begins& begins, const RuleInput& input, NodeId node) {
  const auto found = begins.find({input.RankOf(node), input.graph().StepOf(node)});
  return found == begins.end() ? INT64_MAX : found->second;
}

// The begin of the call that launched it, its own where that was not recorded.
std::int64_t LaunchOf(const RuleInput& input, NodeId node) {
  const EdgesView edges = input.graph().EdgesOf(node);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].kind == DependencyKind::kLaunch) return input.now().BeginOf(edges[i].from);
  }
  return input.now().BeginOf(node);
}

// Most of the large broadcasts' time comes before anything is computed in their step, and before
// DistributedDataParallel's forward, which broadcasts buffers: a batch may be handed out so.
bool ComeBeforeComputing(const RuleInput& input) {
  Begins computing, forward;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCompute) NoteFirst(input, node, computing);
    if (kind.name == "DistributedDataParallel.forward") NoteFirst(input, node, forward);
  });
  std::int64_t all_ns = 0, before_ns = 0;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op != CollectiveOp::kBroadcast || exchange.bytes < kBroadcastBytes ||
        !exchange.counts)
      continue;
    all_ns += exchange.transfer_ns;
    const auto members = Exchanges::MembersOf(input.graph(), exchange);
    const bool is_before = std::ranges::all_of(members, [&](NodeId node) {
      return input.now().BeginOf(node) < FirstOf(computing, input, node) &&
             LaunchOf(input, node) < FirstOf(forward, input, node);
    });
    before_ns += is_before ? exchange.transfer_ns : 0;
  }
  return 2 * before_ns > all_ns;
}

std::optional<Cause> FindRedundantCollectives(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::set<std::uint32_t> of_buffers = GroupsOfBuffers(input);
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::vector<bool> small(graph.nodes().size(), false);
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool is_small = exchange.bytes < kBroadcastBytes;
    if (exchange.op != CollectiveOp::kBroadcast || exchange.bytes <= 0 ||
        (is_small && !of_buffers.contains(exchange.group)) || IsBetweenRoles(input, exchange))
      continue;
    Exchanges::SetTransfer(graph, exchange, 0, without);
    if (is_small) {  // of many, launching takes the host more than they take the device
      for (const NodeId node : Exchanges::MembersOf(graph, exchange)) small[node] = true;
    }
    sums.Add(exchange, exchange.transfer_ns);
  }
  // Once is a start; in every step it is a habit.
  if (sums.count() == 0 || sums.steps().size() < input.counted().size()) return std::nullopt;
  Remove(WithLaunches(graph, small), without);
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const CountWords count = CountAStep(sums.PerStep(static_cast<double>(sums.count())), "broadcast");
  const std::string bytes = HumanBytes(sums.PerStep(sums.bytes()));
  cause.what =
      fmt::format("{} move{} {} that the ranks had before", count.text, count.verb_ending, bytes);
  if (of_buffers.empty() && ComeBeforeComputing(input)) {
    cause.what = fmt::format(
        "{} bring{} {} before the step computes anything, as where one rank hands out the batch",
        count.text, count.verb_ending, bytes);
    cause.why =
        "broadcasts in every step, before its first computing and before "
        "DistributedDataParallel.forward; whether the data is new is not recorded";
    cause.recommendation =
        "If it is a new batch, let each rank load its own part (DistributedSampler, a shard of the "
        "files for each rank), or broadcast the next one while this one computes. If it is the "
        "same data in every step, send it once.";
  }
  if (AreOfUpdatedParameters(input)) {
    cause.what = fmt::format(
        "{} bring{} {} behind the optimizer: parameters that each rank updates a share of",
        count.text, count.verb_ending, bytes);
    cause.recommendation =
        "Gather the shares with one all-gather of flat buffers (FSDP, DeepSpeed ZeRO), begun while "
        "the next forward computes: \"overlap_comm\" and allgather_partitions in DeepSpeed, "
        "--overlap-param-gather in Megatron-LM, ZeroRedundancyOptimizer(overlap_with_ddp=True); or "
        "update all parameters on each rank where memory allows.";
  }
  return cause;
}

}  // namespace

const Rule& RedundantCollectivesRule() {
  static const Rule kRule{
      .id = "redundant-collectives",
      .summary = "the same data is moved in every step",
      .takes = Takes::kTransfer,
      .find = FindRedundantCollectives,
      .why = "broadcasts of the same sizes in every step of training",
      .recommendation =
          "DistributedDataParallel(..., broadcast_buffers=False), or broadcast buffers only when "
          "they change; cache what is gathered again.",
      .command = "rankscope table collective_sizes TRACES",
  };
  return kRule;
}

}  // namespace rankscope
