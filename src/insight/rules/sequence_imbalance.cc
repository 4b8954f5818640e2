// sequence-imbalance: batches of uneven length give ranks unequal work.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/same_inputs.h"
#include "insight/evidence/peers/varying_work.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Whether in every step each of the ranks with more work has more of it than any of the others, as
// far as they are peers.
bool AreTheSameInEveryStep(const RuleInput& input, const VaryingWork& work) {
  using OfPeers = std::pair<std::uint32_t, std::uint32_t>;              // group of peers, step
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> own;  // by rank and step
  for (const NodeId node : work.nodes) {
    if (input.Counts(node))
      own[{input.RankOf(node), input.graph().StepOf(node)}] +=
          input.graph().nodes().DurationOf(node);
  }
  std::map<OfPeers, std::int64_t> least_of_heavy, most_of_others;
  for (const auto& [where, ns] : own) {
    const OfPeers peers{input.peers().group_of[where.first], where.second};
    if (std::ranges::binary_search(work.heavy, where.first)) {
      const auto [found, is_new] = least_of_heavy.try_emplace(peers, ns);
      found->second = std::min(found->second, ns);
    } else {
      most_of_others[peers] = std::max(most_of_others[peers], ns);
    }
  }
  return std::ranges::all_of(least_of_heavy, [&](const auto& one) {
    const auto others = most_of_others.find(one.first);
    return others != most_of_others.end() && one.second > others->second;
  });
}

// Whether these ranks compute what the others do, in other kernels: then places, which go by
// kernels, have other shapes only because they are not the same ones.
bool RunOtherKernelsForTheSame(const RuleInput& input, const std::vector<std::uint32_t>& ranks) {
  const SameInputs inputs(input, ranks);
  return inputs.Hold() && inputs.HaveOtherKernels();
}

// Those in which these ranks have more of it.
std::vector<std::uint32_t> StepsOf(const RuleInput& input, const VaryingWork& work) {
  std::set<std::uint32_t> steps;
  for (const NodeId node : work.heavier) {
    if (std::ranges::binary_search(work.heavy, input.RankOf(node)))
      steps.insert(input.graph().StepOf(node));
  }
  return {steps.begin(), steps.end()};
}

// Attention over inputs of the same shapes.
void TellAttention(const RuleInput& input, const VaryingWork& work, bool are_the_same,
                   Cause& cause) {
  cause.what =
      are_the_same
          ? fmt::format(
                "attention over inputs of the same shapes takes {} on single ranks, most on {}: it "
                "has more to compute there",
                work.SpreadText(input), WhoText(input, cause.ranks))
          : "attention over inputs of the same shapes has more to compute on some ranks, from step "
            "to step on others";
  cause.why =
      "attention kernels that take longer than at the same place of the same step on the ranks "
      "that "
      "do the same work, but for slow devices; replayed with even shares";
  cause.recommendation =
      "Of a sequence that is divided over ranks (context or ring parallelism) with a causal mask, "
      "give each rank a piece of the begin and the piece of the end that mirrors it (zigzag; "
      "Megatron and TransformerEngine cut into 2 x ranks pieces). Of packed sequences, balance the "
      "sum of the squares of their lengths over ranks, not only their tokens.";
}

std::optional<Cause> FindSequenceImbalance(const RuleInput& input) {
  const auto& work = input.Shared<VaryingWork>();
  if (work.by != VariesBy::kBatches) return std::nullopt;
  const bool is_by_shapes = work.ByShapes(input);
  if (!is_by_shapes && !work.ByValues(input)) return std::nullopt;
  const bool are_the_same = work.FewAreHeavy() && AreTheSameInEveryStep(input, work);
  if (is_by_shapes && are_the_same && RunOtherKernelsForTheSame(input, work.heavy))
    return std::nullopt;
  Cause cause = CauseOfVaryingWork(input, work, are_the_same ? work.heavy : AllRanks(input));
  cause.without = work.WithEvenShares(input);
  if (!is_by_shapes) {
    TellAttention(input, work, are_the_same, cause);
    return cause;
  }
  if (are_the_same) {
    const std::size_t all = input.counted().size();
    cause.steps = StepsOf(input, work);
    const std::string when = cause.steps.size() < all
                                 ? fmt::format("in {} steps of {}", cause.steps.size(), all)
                                 : std::string(InEveryStepText(input));
    if (cause.steps.size() == all) cause.steps.clear();
    cause.what = fmt::format(
        "batches of {} are larger than their peers' {}: what depends on it takes {} on single "
        "ranks",
        WhoText(input, work.heavy), when, work.SpreadText(input));
    cause.recommendation =
        "Give all ranks as many tokens: look at what hands batches to these (their shards, a batch "
        "size or length of their own, what is left over for the last rank), or pack sequences to "
        "one length.";
    return cause;
  }
  cause.what =
      fmt::format("batches differ in size between ranks and steps: what depends on it takes {}",
                  work.SpreadInStepText(input));
  return cause;
}

}  // namespace

const Rule& SequenceImbalanceRule() {
  static const Rule kRule{
      .id = "sequence-imbalance",
      .summary = "batches of uneven length give ranks unequal work",
      .tier = Tier::kRoot,
      .takes = Takes::kMoreWork,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindSequenceImbalance,
      .why = kWhyVarying,
      .recommendation =
          "Pack sequences to one length, or sort them into buckets of like length so that all "
          "ranks of a step get the same number of tokens.",
      .command = "rankscope table ops_by_shape TRACES",
      .shown_in = {"collective_ranks", "rank_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
