// sharding-imbalance: the sharding plan gives ranks unequal work.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/assignment.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/evidence/peers/varying_work.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Of what these ranks take longer.
constexpr double kMostlyTables = 0.7;

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
  // Lookups move, they do not go away.
  if (cause.proposal) cause.without = cause.proposal->then;
  cause.what =
      fmt::format("lookups in sharded tables take {} longer a step on {} than on the others",
                  TimeText(static_cast<double>(*cause.lost_ns)), WhoText(input, cause.ranks));
  return cause;
}

std::optional<Cause> FindShardingImbalance(const RuleInput& input) {
  const auto& work = input.Shared<VaryingWork>();
  if (work.by != VariesBy::kTables || !work.FewAreHeavy()) return FindByTime(input);
  Cause cause = CauseOfVaryingWork(input, work, work.heavy);
  cause.proposal = AssignTables(input, work.heavy);
  cause.without = cause.proposal ? cause.proposal->then : work.WithEvenShares(input);
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
      .find = FindShardingImbalance,
      .why =
          "kernels whose input shapes differ from those at the same place of the same step on the "
          "ranks that do the same work; replayed with tables moved as proposed, or with even "
          "shares",
      .recommendation =
          "Shard again by measured cost instead of by size: EmbeddingShardingPlanner with a "
          "storage and compute estimate (TorchRec), or move single tables off that rank; split the "
          "largest column- or row-wise.",
      .command = "rankscope table kernels_by_rank TRACES",
      .shown_in = {"collective_ranks", "rank_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
