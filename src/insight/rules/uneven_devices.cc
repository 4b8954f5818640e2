// uneven-devices: ranks of one role run on different models of device.
#include <fmt/core.h>

#include "insight/cause_tools.h"
#include "insight/evidence/device_models.h"
#include "insight/evidence/rank_excess.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const std::vector<std::uint32_t> slow = RanksBeyond(input, Beyond::kKernels);
  if (slow.empty() || !AreOfOtherModels(input, slow)) return std::nullopt;
  const std::vector<std::string_view> models = DeviceModels(input);
  std::uint32_t other = 0;
  while (std::binary_search(slow.begin(), slow.end(), other)) ++other;
  Cause cause = CauseOfExcess(input, Beyond::kKernels, slow);
  cause.what =
      fmt::format("{} compute{} on {}, the others on {}: {} a step more for the same kernels",
                  WhoText(input, slow), slow.size() == 1 ? "s" : "", models[slow.front()],
                  models[other], TimeText(static_cast<double>(*cause.lost_ns)));
  return cause;
}

}  // namespace

const Rule& UnevenDevicesRule() {
  static const Rule kRule{
      .id = "uneven-devices",
      .summary = "ranks that do the same run on other models of device",
      .tier = Tier::kRoot,
      .takes = Takes::kSlowerKernels,
      .needs = RuleNeeds::kSeveralRanks,
      .find = Find,
      .why =
          "the recordings state another model of device for these ranks, and kernels of equal "
          "inputs "
          "and launch shapes take longer there than on the other ranks",
      .recommendation =
          "Run the job on one model of device, or give the slower ones less: a smaller batch per "
          "rank, fewer layers, fewer experts.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
