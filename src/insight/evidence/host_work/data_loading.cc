#include "insight/evidence/host_work/data_loading.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/steps/few_steps.h"
#include "insight/evidence/steps/step_costs.h"

namespace rankscope {

namespace {

// That any of `peers` lies as far from the others as chance puts one of them.
constexpr double kMostChance = 0.01;
// Fewer say nothing of how they scatter.
constexpr std::size_t kEnoughToScatter = 8;

// Of half that wait and half that do not the mean is true of no rank.
std::int64_t LowerMedianOf(std::vector<std::int64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// What every rank waits is a matter of chance, too, and of thousands some wait twice as long as the
// middle one: out of line is who lies beyond what the logarithms of all scatter.
class Scatter {
 public:
  Scatter(const std::vector<std::int64_t>& times, std::int64_t median)
      : median_(static_cast<double>(std::max<std::int64_t>(1, median))),
        count_(static_cast<double>(times.size())) {
    std::vector<double> away;
    away.reserve(times.size());
    for (const std::int64_t time : times) away.push_back(std::abs(AwayOf(time)));
    constexpr double kOfNormal = 1.4826;  // standard deviations in a median distance
    deviation_ = kOfNormal * MedianOf(away);
  }
  bool IsBeyond(std::int64_t time) const {
    if (deviation_ <= 0) return true;
    return count_ * std::erfc(AwayOf(time) / deviation_ / std::sqrt(2.0)) / 2 < kMostChance;
  }

 private:
  double AwayOf(std::int64_t time) const {
    return std::log(static_cast<double>(std::max<std::int64_t>(1, time)) / median_);
  }
  double median_, count_, deviation_ = 0;
};

// Those that wait longer than their peers in most steps, where there are any: one batch that comes
// late on another rank is another cause.
std::vector<std::uint32_t> OfMostSteps(const RuleInput& input, std::vector<std::uint32_t> ranks) {
  if (ranks.size() < 2) return ranks;
  const std::size_t steps = input.counted().size();
  const std::vector<std::size_t> index = IndexOfCounted(input);
  std::vector<std::int64_t> waits(input.ranks() * steps, 0);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kDataLoading)
      waits[input.RankOf(node) * steps + index[input.graph().StepOf(node)]] +=
          input.graph().nodes().DurationOf(node);
  });
  std::vector<std::uint32_t> steady;
  for (const std::uint32_t rank : ranks) {
    if (!IsOfFewSteps(std::span(waits).subspan(rank * steps, steps))) steady.push_back(rank);
  }
  return steady.empty() ? ranks : steady;
}

}  // namespace

DataLoading::DataLoading(const RuleInput& input)
    : of_rank(input.ranks(), 0),
      usual_of(input.ranks(), 0),
      each(input.ranks()),
      fetches(input.ranks(), 0) {
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kDataLoading) return;
    const NodeId before = input.graph().nodes()[node].previous;
    if (before == kNoNode || input.graph().KindOf(before).work != Work::kDataLoading)
      ++fetches[input.RankOf(node)];
    of_rank[input.RankOf(node)] += input.graph().nodes()[node].duration_ns;
    each[input.RankOf(node)].push_back(input.graph().nodes()[node].duration_ns);
  });
  std::vector<bool> is_beyond(input.ranks(), true);
  // Peers fetch alike; of a pipeline only the first and the last stage fetch at all.
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    std::vector<std::int64_t> theirs;
    theirs.reserve(peers.size());
    for (const std::uint32_t rank : peers) theirs.push_back(of_rank[rank]);
    const std::int64_t median = LowerMedianOf(theirs);
    for (const std::uint32_t rank : peers) usual_of[rank] = median;
    if (peers.size() < kEnoughToScatter) continue;
    const Scatter scatter(theirs, median);
    for (const std::uint32_t rank : peers) is_beyond[rank] = scatter.IsBeyond(of_rank[rank]);
  }
  late = RanksThat(input, [&](std::uint32_t rank) {
    return input.ShareOfSteps(of_rank[rank] - usual_of[rank]) >= kLowGain &&
           of_rank[rank] > 2 * usual_of[rank] && is_beyond[rank];
  });
  late = OfMostSteps(input, std::move(late));
  if (2 * late.size() >= input.ranks()) late.clear();
}

Cause CauseOfLoading(const RuleInput& input, const DataLoading& loading,
                     const std::vector<std::uint32_t>& ranks, std::int64_t usual_ns) {
  Cause cause;
  cause.ranks = ranks;
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  StepCosts costs(input);
  std::int64_t lost = 0;
  const double steps = static_cast<double>(input.counted().size());
  for (const std::uint32_t rank : ranks) {
    const std::int64_t own = loading.of_rank[rank];
    lost += own;
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"data loading per step", TimeText(static_cast<double>(own) / steps)},
         {"of the step", PercentText(input.ShareOfSteps(own))}});
  }
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (input.graph().KindOf(node).work != Work::kDataLoading ||
        !std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node)))
      continue;
    const std::int64_t took = input.graph().nodes()[node].duration_ns;
    without.SetDuration(node, std::min(took, usual_ns));
    costs.Add(node, std::max<std::int64_t>(0, took - usual_ns));
    if (input.Counts(node)) nodes.push_back(node);
  }
  TellWhere(input, nodes, cause);
  costs.TellIn(cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) /
                                            (steps * static_cast<double>(ranks.size())));
  cause.evidence_table = "host_breakdown";
  return cause;
}

bool IsLoadedInProcess(const RuleInput& input) {
  bool is_in_process = false;
  for (const NodeKind& kind : input.graph().kinds()) {
    if (kind.work != Work::kDataLoading) continue;
    if (kind.name.find("_MultiProcessingDataLoaderIter") != std::string::npos) return false;
    is_in_process =
        is_in_process || kind.name.find("_SingleProcessDataLoaderIter") != std::string::npos;
  }
  return is_in_process;
}

std::string LoadingInFewSteps(const RuleInput& input, const Cause& cause) {
  if (cause.steps.empty()) return "";
  double waited = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kDataLoading &&
        std::ranges::binary_search(cause.ranks, input.RankOf(node)) &&
        std::ranges::binary_search(cause.steps, input.graph().StepOf(node)))
      waited += static_cast<double>(input.graph().nodes()[node].duration_ns);
  });
  const std::size_t steps = cause.steps.size();
  return fmt::format(": {} {}", TimeText(waited / static_cast<double>(cause.ranks.size() * steps)),
                     InStepsText(input, steps));
}

}  // namespace rankscope
