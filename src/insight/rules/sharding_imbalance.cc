// sharding-imbalance: the sharding plan gives ranks unequal work.
#include <fmt/core.h>

#include <algorithm>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/assignment.h"
#include "insight/evidence/rank_excess.h"
#include "insight/evidence/varying_work.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Of what these ranks take longer.
constexpr double kMostlyTables = 0.7;

// The ranks that have more do as much of the varying work as the median of those that have not.
Scenario WithUsualShare(const RuleInput& input, const VaryingWork& work) {
  std::vector<double> share(input.ranks(), 1);
  for (const std::uint32_t rank : work.heavy) {
    std::vector<double> theirs;
    for (const std::uint32_t peer : input.peers().of[input.peers().group_of[rank]]) {
      if (!std::binary_search(work.heavy.begin(), work.heavy.end(), peer))
        theirs.push_back(work.of_rank[peer]);
    }
    if (theirs.empty()) continue;
    share[rank] = std::min(1.0, MedianOf(theirs) / work.of_rank[rank]);
  }
  Scenario scenario = input.recorded();
  for (const NodeId node : work.nodes) {
    const double part = share[input.RankOf(node)];
    if (part < 1)
      scenario.SetDuration(
          node, static_cast<std::int64_t>(
                    static_cast<double>(input.graph().nodes()[node].duration_ns) * part));
  }
  return scenario;
}

// Kernels of tables alone are slower, launched alike: how many rows they look up is no shape.
std::optional<Cause> FindByTime(const RuleInput& input) {
  std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kKernels);
  if (ranks.empty() || 2 * ranks.size() >= input.ranks()) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kKernels, std::move(ranks));
  std::int64_t of_tables = 0, all = 0;
  for (const Cause::Place& place : cause.places) {
    all += place.ns;
    of_tables += IsOfTables(place.op) ? place.ns : 0;
  }
  if (all == 0 || static_cast<double>(of_tables) < kMostlyTables * static_cast<double>(all))
    return std::nullopt;
  cause.confidence = 0.7;
  cause.proposal = AssignTables(input, cause.ranks);
  cause.what =
      fmt::format("lookups in sharded tables take {} longer a step on {} than on the others",
                  TimeText(static_cast<double>(*cause.lost_ns)), WhoText(input, cause.ranks));
  return cause;
}

std::optional<Cause> Find(const RuleInput& input) {
  const auto& work = input.Shared<VaryingWork>();
  if (work.by != VariesBy::kTables || !work.FewAreHeavy()) return FindByTime(input);
  Cause cause = CauseOfVaryingWork(input, work, work.heavy);
  cause.without = WithUsualShare(input, work);
  cause.proposal = AssignTables(input, work.heavy);
  cause.what = fmt::format(
      "{} ha{} more of the sharded tables than the others: their kernels take {}",
      WhoText(input, work.heavy), work.heavy.size() == 1 ? "s" : "ve", work.SpreadText(input));
  return cause;
}

}  // namespace

const Rule& ShardingImbalanceRule() {
  static const Rule kRule{
      .id = "sharding-imbalance",
      .summary = "the sharding plan gives ranks unequal work",
      .tier = Tier::kRoot,
      .takes = Takes::kMoreWork,
      .needs = RuleNeeds::kSeveralRanks,
      .find = Find,
      .why = kWhyVarying,
      .recommendation =
          "Shard again by measured cost instead of by size: EmbeddingShardingPlanner with a "
          "storage and compute estimate (TorchRec), or move single tables off that rank; split the "
          "largest column- or row-wise.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
