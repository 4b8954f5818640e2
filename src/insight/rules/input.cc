// data-starvation and data-straggler: hosts wait for their batches.
#include <fmt/core.h>

#include <algorithm>

#include "base/median.h"
#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// Data loading of these ranks takes no longer than `limit` of the like.
Cause MakeCause(const RuleInput& input, const std::vector<std::uint32_t>& ranks,
                const std::vector<std::int64_t>& loading, std::int64_t usual_ns) {
  Cause cause;
  cause.tier = Tier::kRoot;
  cause.ranks = ranks;
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  const double steps = static_cast<double>(input.counted().size());
  for (const std::uint32_t rank : ranks) {
    lost += loading[rank];
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"data loading per step", TimeText(static_cast<double>(loading[rank]) / steps)},
         {"of the step", PercentText(input.ShareOfSteps(loading[rank]))}});
  }
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (input.graph().KindOf(node).work != Work::kDataLoading ||
        !std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node)))
      continue;
    without.SetDuration(node, std::min(input.graph().nodes()[node].duration_ns, usual_ns));
    if (input.Counts(node)) nodes.push_back(node);
  }
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) /
                                            (steps * static_cast<double>(ranks.size())));
  cause.command = "rankscope table host_breakdown TRACES";
  cause.evidence_table = "host_breakdown";
  return cause;
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  std::vector<std::int64_t> loading(input.ranks(), 0);
  std::vector<std::vector<std::int64_t>> single(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kDataLoading) return;
    loading[input.RankOf(node)] += input.graph().nodes()[node].duration_ns;
    single[input.RankOf(node)].push_back(input.graph().nodes()[node].duration_ns);
  });
  // Peers fetch alike; of a pipeline only the first and the last stage fetch at all.
  std::vector<std::int64_t> usual_of(input.ranks(), 0);
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    std::vector<std::int64_t> theirs;
    theirs.reserve(peers.size());
    for (const std::uint32_t rank : peers) theirs.push_back(loading[rank]);
    const std::int64_t median =
        theirs.size() == 2 ? std::min(theirs[0], theirs[1]) : MedianOf(theirs);
    for (const std::uint32_t rank : peers) usual_of[rank] = median;
  }
  const auto waits_more = [&](std::uint32_t rank) {
    return input.ShareOfSteps(loading[rank] - usual_of[rank]) >= kLowGain &&
           loading[rank] > 2 * usual_of[rank];
  };
  const std::vector<std::uint32_t> late = RanksThat(input, waits_more);
  if (!late.empty() && 2 * late.size() < input.ranks()) {
    std::vector<std::int64_t> usual;
    for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
      if (!waits_more(rank)) usual.insert(usual.end(), single[rank].begin(), single[rank].end());
    }
    Cause cause = MakeCause(input, late, loading, MedianOf(usual));
    cause.id = "data-straggler";
    cause.what =
        fmt::format("{} wait{} {} a step for batches, its peers {}", WhoText(input, late),
                    late.size() == 1 ? "s" : "", TimeText(static_cast<double>(*cause.lost_ns)),
                    TimeText(static_cast<double>(usual_of[late.front()]) /
                             static_cast<double>(input.counted().size())));
    cause.why =
        "host time inside data-loading ranges, compared with the ranks that do the same work";
    cause.recommendation =
        "Even out that rank's shard sizes, look at its host's storage and CPU, and give its "
        "DataLoader more workers (num_workers, prefetch_factor).";
    causes.push_back(std::move(cause));
    return;
  }
  const std::vector<std::uint32_t> waiting = RanksThat(input, [&](std::uint32_t rank) {
    return input.ShareOfSteps(loading[rank]) >= kLowGain &&
           static_cast<double>(loading[rank]) >
               kReadyBatchNs * static_cast<double>(input.counted().size());
  });
  if (waiting.empty()) return;
  Cause cause = MakeCause(input, waiting, loading, 0);
  cause.id = "data-starvation";
  cause.what = fmt::format("the hosts wait {} a step for batches, {} of it",
                           TimeText(static_cast<double>(*cause.lost_ns)),
                           PercentText(static_cast<double>(*cause.lost_ns) / input.step_ns()));
  cause.why = "host time inside data-loading ranges in every step, on all ranks that fetch";
  cause.recommendation =
      "DataLoader(..., num_workers=8, prefetch_factor=4, pin_memory=True, "
      "persistent_workers=True); move decoding and augmentation to the workers or the device; "
      "read from faster storage.";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& InputRule() {
  static const Rule kRule{.ids = {"data-starvation", "data-straggler"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
