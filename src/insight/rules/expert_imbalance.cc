// expert-imbalance: routers send some experts far more tokens.
#include <fmt/core.h>

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/peers/varying_work.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// An all-to-all takes as long as the rank that receives or sends most: with even loads each would
// take the mean.
void EvenExchanges(const RuleInput& input, Scenario& without) {
  const JobCollectives& all = input.across().collectives();
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const std::uint32_t collective = input.graph().meetings()[exchange.meeting].collective;
    if (collective == UINT32_MAX || exchange.op != CollectiveOp::kAllToAll) continue;
    double sum = 0, most = 0;
    std::size_t count = 0;
    for (const std::uint32_t event : all.MembersOf(all.collectives()[collective])) {
      const auto load =
          static_cast<double>(std::max(all.events()[event].in, all.events()[event].out));
      if (load < 0) continue;
      sum += load;
      most = std::max(most, load);
      ++count;
    }
    if (most <= 0) continue;
    const double even = sum / (most * static_cast<double>(count));
    Exchanges::SetTransfer(
        input.graph(), exchange,
        static_cast<std::int64_t>(static_cast<double>(exchange.transfer_ns) * even), without);
  }
}

std::optional<Cause> FindExpertImbalance(const RuleInput& input) {
  const auto& work = input.Shared<VaryingWork>();
  if (work.by != VariesBy::kExperts) return std::nullopt;
  Cause cause = CauseOfVaryingWork(input, work, work.FewAreHeavy() ? work.heavy : AllRanks(input));
  Scenario without = work.WithEvenShares(input);
  EvenExchanges(input, without);
  cause.without = std::move(without);
  cause.what = fmt::format("experts get uneven loads: kernels that depend on them take {}",
                           work.FewAreHeavy() ? work.SpreadText(input) + " on single ranks"
                                              : work.SpreadInStepText(input));
  return cause;
}

}  // namespace

const Rule& ExpertImbalanceRule() {
  static const Rule kRule{
      .id = "expert-imbalance",
      .summary = "routers send some experts far more tokens",
      .tier = Tier::kRoot,
      .takes = Takes::kMoreWork,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindExpertImbalance,
      .why = kWhyVarying,
      .recommendation =
          "Raise the weight of the auxiliary balancing loss or use bias-based balancing, bound the "
          "capacity factor, place experts that are used together on different ranks.",
      .command = "rankscope table expert_ranks TRACES",
  };
  return kRule;
}

}  // namespace rankscope
