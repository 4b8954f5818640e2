// data-straggler: few ranks wait for their batches, and the others for these ranks.
#include <fmt/core.h>

#include <algorithm>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/data_loading.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindDataStraggler(const RuleInput& input) {
  const auto& loading = input.Shared<DataLoading>();
  const std::vector<std::uint32_t>& late = loading.late;
  if (late.empty()) return std::nullopt;
  std::vector<std::int64_t> usual;
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    if (!std::binary_search(late.begin(), late.end(), rank))
      usual.insert(usual.end(), loading.each[rank].begin(), loading.each[rank].end());
  }
  Cause cause = CauseOfLoading(input, loading, late, MedianOf(usual));
  cause.what =
      fmt::format("{} wait{} {} a step for batches, its peers {}", WhoText(input, late),
                  late.size() == 1 ? "s" : "", TimeText(static_cast<double>(*cause.lost_ns)),
                  TimeText(static_cast<double>(loading.usual_of[late.front()]) /
                           static_cast<double>(input.counted().size())));
  cause.what += LoadingInFewSteps(input, cause);
  return cause;
}

}  // namespace

const Rule& DataStragglerRule() {
  static const Rule kRule{
      .id = "data-straggler",
      .summary = "one rank waits for input, the others for that rank",
      .tier = Tier::kRoot,
      .takes = Takes::kData,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindDataStraggler,
      .why = "host time inside data-loading ranges, compared with the ranks that do the same work",
      .recommendation =
          "Even out that rank's shard sizes, look at its host's storage and CPU, and give its "
          "DataLoader more workers (num_workers, prefetch_factor).",
      .command = "rankscope table host_breakdown TRACES",
  };
  return kRule;
}

}  // namespace rankscope
