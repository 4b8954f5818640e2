#include "insight/evidence/peers/contended_hosts.h"

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/evidence/peers/telemetry_of_ranks.h"
#include "quantity/quantity.h"

namespace rankscope {
namespace {

constexpr std::string_view kOfProcess =
    quantity::kProcessCoreWait.name;  // of the time, of its main thread
constexpr std::string_view kOfHost = quantity::kHostCpuPressure.name;  // of the time, of some task

}  // namespace

ContendedHosts::ContendedHosts(const RuleInput& input) : waits(input.ranks()) {
  const auto& telemetry = input.Shared<TelemetryOfRanks>();
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const std::optional<double> own = telemetry.Mean(rank, kOfProcess);
    const std::optional<double> of_host = telemetry.Mean(rank, kOfHost);
    waits[rank] = own ? CoreWait{std::clamp(*own, 0.0, 1.0), true}
                      : CoreWait{std::clamp(of_host.value_or(0), 0.0, 1.0), false};
    if (waits[rank].share >= (own ? kMuchCoreWait : kMuchPressure)) ranks.push_back(rank);
  }
  const std::vector<std::uint32_t>& slow = input.Shared<SlowHosts>().ranks;
  std::ranges::set_intersection(slow, ranks, std::back_inserter(slower_ranks));
  std::ranges::set_difference(slow, slower_ranks, std::back_inserter(others));
}

void TellCoreWaits(const RuleInput& input, Cause& cause) {
  const auto& contended = input.Shared<ContendedHosts>();
  for (std::size_t i = 0; i < std::min(cause.ranks.size(), cause.evidence.size()); ++i) {
    const CoreWait& wait = contended.waits[cause.ranks[i]];
    if (wait.share <= 0) continue;
    cause.evidence[i].emplace_back(wait.is_of_rank ? "waits for a core" : "CPU pressure",
                                   PercentText(wait.share) + " of the time");
  }
}

}  // namespace rankscope
