// sequence-imbalance: batches of uneven length give ranks unequal work.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/varying_work.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const auto& work = input.Shared<VaryingWork>();
  if (work.by != VariesBy::kBatches || !work.ByShapes(input)) return std::nullopt;
  Cause cause = CauseOfVaryingWork(input, work, AllRanks(input));
  cause.without = work.WithEvenShares(input);
  cause.what = fmt::format(
      "batches differ in size between ranks and steps: what depends on it takes {} on single ranks",
      work.SpreadText(input));
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
      .find = Find,
      .why = kWhyVarying,
      .recommendation =
          "Pack sequences to one length, or sort them into buckets of like length so that all "
          "ranks of a step get the same number of tokens.",
      .command = "rankscope table ops_by_shape TRACES",
  };
  return kRule;
}

}  // namespace rankscope
