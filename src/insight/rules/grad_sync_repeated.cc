// grad-sync-repeated: the same gradients are reduced in every micro-batch, or twice.
//
// Reductions of a data-parallel group between which a rank computes forward and backward again, of
// equal sizes each time and without an optimizer between: all but the last are done again by those
// behind them. Where they are later than their backward (a slow network), they are divided equally
// among the backwards of a step. Or, of one backward: all-reduces that begin during it, and behind
// it others, cut otherwise, of exactly as many bytes: what a wrapper (DDP) has reduced a loop of
// the program's reduces again.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A loss, a norm: no gradients.
constexpr std::int64_t kScalarBytes = 64;

// Reductions by group and step, in the order of their begins.
using ByStep = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Exchange*>>;

// Begins of computing of a rank in a step, ascending, by phase.
struct Computing {
  std::array<std::vector<std::int64_t>, 4> begins;
  // Whether some of the phase begins in (from, to).
  bool Has(Phase phase, std::int64_t from, std::int64_t to) const {
    const std::vector<std::int64_t>& of = begins[static_cast<std::size_t>(phase)];
    const auto first = std::upper_bound(of.begin(), of.end(), from);
    return first != of.end() && *first < to;
  }
};
using ComputingOfSteps = std::map<std::pair<std::uint32_t, std::uint32_t>, Computing>;

ComputingOfSteps ComputingOf(const RuleInput& input) {
  ComputingOfSteps computing;
  const JobGraph& graph = input.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work != Work::kCompute || graph.StepOf(node) == kNoStep) continue;
    computing[{input.RankOf(node), graph.StepOf(node)}]
        .begins[static_cast<std::size_t>(kind.phase)]
        .push_back(input.now().BeginOf(node));
  }
  for (auto& [where, of] : computing) {
    for (std::vector<std::int64_t>& begins : of.begins) std::sort(begins.begin(), begins.end());
  }
  return computing;
}

std::int64_t BeginOf(const RuleInput& input, const Exchange* exchange) {
  return input.now().BeginOf(Exchanges::MembersOf(input.graph(), *exchange).front());
}

void Order(const RuleInput& input, std::vector<const Exchange*>& exchanges) {
  std::sort(exchanges.begin(), exchanges.end(), [&](const Exchange* a, const Exchange* b) {
    return BeginOf(input, a) < BeginOf(input, b);
  });
}

// Reductions of one group and step in order, in runs without forward computing between them. None
// where a run has no backward of its own, or an optimizer's step before it.
std::vector<std::vector<const Exchange*>> RunsOf(const RuleInput& input,
                                                 const std::vector<const Exchange*>& in_order,
                                                 const Computing& computing) {
  std::vector<std::vector<const Exchange*>> runs;
  std::int64_t before = INT64_MIN;
  for (const Exchange* exchange : in_order) {
    const std::int64_t begin = BeginOf(input, exchange);
    if (runs.empty() || computing.Has(Phase::kForward, before, begin)) {
      const bool is_again = !runs.empty() && computing.Has(Phase::kOptimizer, before, begin);
      if (is_again || !computing.Has(Phase::kBackward, before, begin)) return {};
      runs.emplace_back();
    }
    runs.back().push_back(exchange);
    before = begin;
  }
  return runs;
}

// The begins of the backwards of a step, each behind a forward.
std::vector<std::int64_t> BackwardsOf(const Computing& computing) {
  const auto& forward = computing.begins[static_cast<std::size_t>(Phase::kForward)];
  const auto& backward = computing.begins[static_cast<std::size_t>(Phase::kBackward)];
  std::vector<std::int64_t> begins;
  auto at = backward.begin();
  for (auto next = forward.begin(); next != forward.end();) {
    at = std::upper_bound(at, backward.end(), *next);
    if (at == backward.end()) break;
    begins.push_back(*at);
    next = std::upper_bound(next, forward.end(), *at);
  }
  return begins;
}

// Reductions of one group and step in order, as many for each backward of the step, none of which
// begins before its backward does, and none behind an optimizer. Otherwise none.
std::vector<std::vector<const Exchange*>> PartsOf(const RuleInput& input,
                                                  const std::vector<const Exchange*>& in_order,
                                                  const Computing& computing) {
  const std::vector<std::int64_t> backwards = BackwardsOf(computing);
  if (backwards.size() < 2 || in_order.size() % backwards.size() != 0) return {};
  if (computing.Has(Phase::kOptimizer, backwards.front(), BeginOf(input, in_order.back())))
    return {};
  const std::size_t size = in_order.size() / backwards.size();
  std::vector<std::vector<const Exchange*>> parts;
  for (std::size_t i = 0; i < backwards.size(); ++i) {
    const auto first = in_order.begin() + static_cast<std::ptrdiff_t>(i * size);
    if (BeginOf(input, *first) < backwards[i]) return {};
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
  }
  return parts;
}

std::multiset<std::int64_t> BytesOfRun(const std::vector<const Exchange*>& run) {
  std::multiset<std::int64_t> sizes;
  for (const Exchange* exchange : run) sizes.insert(exchange->bytes);
  return sizes;
}

// Whether there are several, each of the same sizes.
bool AreAlike(const std::vector<std::vector<const Exchange*>>& runs) {
  return runs.size() >= 2 && std::all_of(runs.begin() + 1, runs.end(), [&](const auto& run) {
           return BytesOfRun(run) == BytesOfRun(runs.front());
         });
}

// All-reduces of a step in order: where those begin that reduce again, behind the last backward
// kernel, what those before them have reduced during it; 0: none do.
std::size_t BeginOfSecond(const RuleInput& input, const std::vector<const Exchange*>& in_order,
                          const Computing& computing) {
  const std::vector<std::int64_t>& backward =
      computing.begins[static_cast<std::size_t>(Phase::kBackward)];
  if (in_order.size() < 2 || backward.empty()) return 0;
  std::int64_t all = 0, before = 0;
  for (const Exchange* exchange : in_order) all += exchange->bytes;
  std::size_t second = 0;
  while (second < in_order.size() && 2 * before < all) before += in_order[second++]->bytes;
  if (2 * before != all || second == in_order.size()) return 0;
  const bool is_behind = BeginOf(input, in_order.front()) < backward.back() &&
                         BeginOf(input, in_order[second]) >= backward.back();
  // Equal buckets of one model may come to the same by halves.
  const auto middle = in_order.begin() + static_cast<std::ptrdiff_t>(second);
  if (!is_behind || BytesOfRun({in_order.begin(), middle}) == BytesOfRun({middle, in_order.end()}))
    return 0;
  return second;
}

std::optional<Cause> FindTwice(const RuleInput& input, const ByStep& by_step,
                               const ComputingOfSteps& computing) {
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::size_t first = 0;
  for (const auto& [where, of_step] : by_step) {
    std::vector<const Exchange*> in_order;
    for (const Exchange* exchange : of_step) {
      if (exchange->op == CollectiveOp::kAllReduce) in_order.push_back(exchange);
    }
    if (in_order.empty()) continue;
    const auto computed = computing.find({in_order.front()->ranks.front(), where.second});
    if (computed == computing.end()) continue;
    const std::size_t second = BeginOfSecond(input, in_order, computed->second);
    if (second == 0) continue;
    first = second;
    for (std::size_t i = second; i < in_order.size(); ++i) {
      Exchanges::SetTransfer(input.graph(), *in_order[i], 0, without);
      for (const NodeId node : Exchanges::MembersOf(input.graph(), *in_order[i]))
        without.SetGap(node, std::min<std::int64_t>(without.GapOf(node), 0));
      sums.Add(*in_order[i], in_order[i]->transfer_ns);
    }
  }
  // In every step: once may be chance.
  if (sums.count() == 0 || sums.steps().size() < input.counted().size()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "the same gradients are reduced twice a step: {:.3g} MB in {} during the "
      "backward, and exactly as many bytes behind it in {:.3g}",
      sums.PerStep(sums.bytes() / 1e6), CountText(static_cast<double>(first), "all-reduce"),
      sums.PerStep(static_cast<double>(sums.count())));
  cause.why =
      "the bytes that are all-reduced in a data-parallel group behind the last kernel of the "
      "backward are to the byte those that were all-reduced during it, in other pieces; replayed "
      "without those behind it";
  cause.recommendation =
      "Reduce once: DistributedDataParallel (or what wraps the model) has reduced the gradients "
      "when the backward returns, so drop the all_reduce over the parameters behind it; or keep "
      "it and do not wrap the model.";
  return cause;
}

std::optional<Cause> FindGradSyncRepeated(const RuleInput& input) {
  const std::set<std::uint32_t> groups = DataParallelGroups(input);
  ByStep by_step;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool is_collective = input.graph().meetings()[exchange.meeting].collective != UINT32_MAX;
    if (is_collective && groups.contains(exchange.group) && IsOfGradients(exchange.op) &&
        exchange.bytes > kScalarBytes && exchange.step != kNoStep)
      by_step[{exchange.group, exchange.step}].push_back(&exchange);
  }
  if (by_step.empty()) return std::nullopt;
  for (auto& [where, of_step] : by_step) Order(input, of_step);
  const ComputingOfSteps computing = ComputingOf(input);
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::size_t most_runs = 0;
  for (const auto& [where, of_step] : by_step) {
    const auto computed = computing.find({of_step.front()->ranks.front(), where.second});
    if (computed == computing.end()) continue;
    auto runs = RunsOf(input, of_step, computed->second);
    if (!AreAlike(runs)) runs = PartsOf(input, of_step, computed->second);
    if (!AreAlike(runs)) continue;
    most_runs = std::max(most_runs, runs.size());
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      for (const Exchange* exchange : runs[i]) {
        Exchanges::SetTransfer(input.graph(), *exchange, 0, without);
        sums.Add(*exchange, exchange->transfer_ns);
      }
    }
  }
  if (sums.count() == 0) return FindTwice(input, by_step, computing);
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "the same gradients are reduced {} times a step, once in each micro-batch", most_runs);
  return cause;
}

}  // namespace

const Rule& GradSyncRepeatedRule() {
  static const Rule kRule{
      .id = "grad-sync-repeated",
      .summary = "the same gradients are reduced in every micro-batch",
      .tier = Tier::kProgram,
      .takes = Takes::kTransfer,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindGradSyncRepeated,
      .why =
          "reductions of equal sizes in one data-parallel group, again behind every forward of a "
          "step; "
          "replayed without all but the last",
      .recommendation =
          "Reduce in the last micro-batch alone: with model.no_sync(): around the others "
          "(DistributedDataParallel), set_requires_gradient_sync(False) (FSDP2), "
          "no_sync_func (Megatron-LM), Accelerator.accumulate (Accelerate).",
      .command = "rankscope table collectives TRACES",
  };
  return kRule;
}

}  // namespace rankscope
