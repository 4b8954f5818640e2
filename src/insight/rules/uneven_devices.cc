// uneven-devices: ranks of one role run on different models of device.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/evidence/peers/same_inputs.h"
#include "insight/evidence/setting/device_models.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// The ranks of one of two models that takes longer for the same kernels, however many they are,
// where they lie as far from the others as ranks that scatter do not.
std::vector<std::uint32_t> RanksOfSlowerModel(const RuleInput& input) {
  constexpr double kTimesApart = 5;
  const std::vector<std::string_view> models = DeviceModels(input);
  std::map<std::string_view, std::vector<std::uint32_t>> by_model;
  for (std::uint32_t rank = 0; rank < models.size(); ++rank) {
    if (models[rank].empty()) return {};
    by_model[models[rank]].push_back(rank);
  }
  if (by_model.size() != 2) return {};
  const std::vector<double>& own = OwnTimes(input, Beyond::kKernels);
  const auto times_of = [&](const std::vector<std::uint32_t>& ranks) {
    std::vector<double> times;
    for (const std::uint32_t rank : ranks) times.push_back(own[rank]);
    return times;
  };
  const auto& [one, other] =
      std::pair(by_model.begin()->second, std::next(by_model.begin())->second);
  if (TimesApart(times_of(one), times_of(other)) >= kTimesApart) return other;
  return TimesApart(times_of(other), times_of(one)) >= kTimesApart ? one
                                                                   : std::vector<std::uint32_t>();
}

// With what the others take for the same ops and inputs, whichever kernels do it.
Cause CauseBySameInputs(const RuleInput& input, const SameInputs& same,
                        std::vector<std::uint32_t> ranks) {
  Scenario without = input.recorded();
  NodeSums sums(input);
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute ||
        !std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node)))
      return;
    const double share = same.ShareOfOthers(node);
    if (share >= 1) return;
    const auto took = static_cast<double>(input.graph().nodes().DurationOf(node));
    without.SetDuration(node, static_cast<std::int64_t>(share * took));
    sums.AddShown(node, node, (1 - share) * took);
  });
  Cause cause;
  sums.TellIn(cause);
  cause.ranks = std::move(ranks);
  cause.without = std::move(without);
  return cause;
}

std::optional<Cause> FindUnevenDevices(const RuleInput& input) {
  if (!input.graph().is_aligned()) return std::nullopt;
  // Where inputs differ or are not known, the kernels that both models run tell.
  std::vector<std::uint32_t> slow = RanksBeyond(input, Beyond::kWork);
  std::optional<SameInputs> same;
  if (!slow.empty() && AreOfOtherModels(input, slow)) same.emplace(input, slow);
  if (!same || !same->Hold()) {
    same.reset();
    slow = RanksBeyond(input, Beyond::kKernels);
    if (slow.empty() || !AreOfOtherModels(input, slow)) slow = RanksOfSlowerModel(input);
    if (slow.empty() || !AreOfOtherModels(input, slow)) return std::nullopt;
  }
  const std::vector<std::string_view> models = DeviceModels(input);
  std::uint32_t other = 0;
  while (std::binary_search(slow.begin(), slow.end(), other)) ++other;
  Cause cause =
      same ? CauseBySameInputs(input, *same, slow) : CauseOfExcess(input, Beyond::kKernels, slow);
  cause.what = fmt::format("{} compute{} on {}, the others on {}: {} a step more for the same {}",
                           WhoText(input, slow), slow.size() == 1 ? "s" : "", models[slow.front()],
                           models[other], TimeText(static_cast<double>(cause.lost_ns.value_or(0))),
                           same ? "inputs" : "kernels");
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
      .find = FindUnevenDevices,
      .why =
          "the recordings state another model of device for these ranks, and ops of equal inputs, "
          "or "
          "kernels of equal inputs and launch shapes, take longer there than on the other ranks",
      .recommendation =
          "Run the job on one model of device, or give the slower ones less: a smaller batch per "
          "rank, fewer layers, fewer experts.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
