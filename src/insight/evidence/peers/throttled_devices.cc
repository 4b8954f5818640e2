#include "insight/evidence/peers/throttled_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/evidence/peers/telemetry_of_ranks.h"
#include "quantity/quantity.h"

namespace rankscope {
namespace {

constexpr std::string_view kClock = quantity::kDeviceSmClock.name;

// The ranks that are not slow.
std::vector<std::uint32_t> HealthyRanks(const RuleInput& input) {
  const std::vector<std::uint32_t>& slow = input.Shared<SlowDevices>().ranks;
  return RanksThat(input, [&](std::uint32_t rank) {
    return !std::binary_search(slow.begin(), slow.end(), rank);
  });
}

}  // namespace

ThrottledDevices::ThrottledDevices(const RuleInput& input) {
  const auto& telemetry = input.Shared<TelemetryOfRanks>();
  const std::vector<std::uint32_t> healthy = HealthyRanks(input);
  const std::optional<double> usual = UsualOf(telemetry, kClock, healthy);
  for (const std::uint32_t rank : input.Shared<SlowDevices>().ranks) {
    const std::vector<std::string> reasons = telemetry.HeldDownBy(rank);
    const std::optional<double> clock = telemetry.Mean(rank, kClock);
    // A reason that the others have, too, explains no difference; where clocks are known they tell.
    const auto has_one = [&](std::uint32_t other) {
      return std::ranges::any_of(telemetry.HeldDownBy(other), [&](const std::string& reason) {
        return std::ranges::find(reasons, reason) != reasons.end();
      });
    };
    const bool is_lower = clock && usual ? *clock < kHeldDownClock * *usual
                                         : std::ranges::count_if(healthy, has_one) * 2 <
                                               static_cast<std::ptrdiff_t>(healthy.size());
    (!reasons.empty() && is_lower ? ranks : others).push_back(rank);
  }
}

std::string ClockText(double hz) { return fmt::format("{:.2f} GHz", hz * 1e-9); }

void TellClocks(const RuleInput& input, Cause& cause) {
  const auto& telemetry = input.Shared<TelemetryOfRanks>();
  const std::optional<double> usual = UsualOf(telemetry, kClock, HealthyRanks(input));
  for (std::size_t i = 0; i < std::min(cause.ranks.size(), cause.evidence.size()); ++i) {
    const std::uint32_t rank = cause.ranks[i];
    if (const auto clock = telemetry.Mean(rank, kClock)) {
      cause.evidence[i].emplace_back("its clock", ClockText(*clock));
      if (usual) cause.evidence[i].emplace_back("clock of the others", ClockText(*usual));
    }
    const std::vector<std::string> reasons = telemetry.HeldDownBy(rank);
    if (!reasons.empty())
      cause.evidence[i].emplace_back("held down by", fmt::format("{}", fmt::join(reasons, ", ")));
  }
}

}  // namespace rankscope
