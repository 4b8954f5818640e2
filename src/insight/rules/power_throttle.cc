// power-throttle: clocks of devices are held down, and what computes takes longer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/telemetry/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/evidence/peers/telemetry_of_ranks.h"
#include "insight/evidence/peers/throttled_devices.h"
#include "insight/rules/rules.h"
#include "quantity/quantity.h"

namespace rankscope {
namespace {

constexpr std::string_view kPowerCap = "the power cap";

std::string ReasonsText(const TelemetryOfRanks& telemetry,
                        const std::vector<std::uint32_t>& ranks) {
  std::set<std::string> reasons;
  for (const std::uint32_t rank : ranks) {
    for (std::string& reason : telemetry.HeldDownBy(rank)) reasons.insert(std::move(reason));
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

// Slower than peers whose clocks are not.
std::optional<Cause> ThrottledBesidePeers(const RuleInput& input) {
  const std::vector<std::uint32_t>& ranks = input.Shared<ThrottledDevices>().ranks;
  if (ranks.empty()) return std::nullopt;
  const PeerSpeed sum = SumOf(input.Shared<SlowDevices>().speeds, ranks);
  Cause cause = CauseOfSlowDevices(input, ranks);
  TellClocks(input, cause);
  const bool is_one = ranks.size() == 1;
  cause.what = fmt::format(
      "{} holds down the clock{} of {}: {} device{} run{} the same kernels {:.2f}x slower than {} "
      "peers",
      ReasonsText(input.Shared<TelemetryOfRanks>(), ranks), is_one ? "" : "s",
      WhoText(input, ranks), is_one ? "its" : "their", is_one ? "" : "s", is_one ? "s" : "",
      sum.own_ns / sum.typical_ns, is_one ? "its" : "their");
  return cause;
}

// All alike: no peer tells what they would do. Kernels that are bound by computing follow the
// clock; the power cap alone is what every device under full load reaches.
std::optional<Cause> SlowerThanTheyCouldBe(const RuleInput& input) {
  const auto& telemetry = input.Shared<TelemetryOfRanks>();
  std::vector<double> part(input.ranks(), 1);
  const std::vector<std::uint32_t> ranks = RanksThat(input, [&](std::uint32_t rank) {
    const std::vector<std::string> reasons = telemetry.HeldDownBy(rank);
    const auto clock = telemetry.Mean(rank, quantity::kDeviceSmClock.name);
    const auto most = telemetry.Mean(rank, quantity::kDeviceSmClockMax.name);
    if (!clock || !most || *clock <= 0 || *clock >= kHeldDownClock * *most) return false;
    part[rank] = *clock / *most;
    return std::ranges::any_of(reasons,
                               [](const std::string& reason) { return reason != kPowerCap; });
  });
  if (ranks.empty()) return std::nullopt;
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  double lost = 0;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const NodeKind& kind = input.graph().KindOf(node);
    const double of = part[input.RankOf(node)];
    if (kind.work != Work::kCompute || !IsBoundByComputing(kind) ||
        !std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node)))
      continue;
    const auto now = static_cast<double>(input.graph().nodes()[node].duration_ns);
    without.SetDuration(node, static_cast<std::int64_t>(now * of));
    if (!input.Counts(node)) continue;
    lost += now * (1 - of);
    nodes.push_back(node);
  }
  Cause cause;
  cause.ranks = ranks;
  TellWhere(input, nodes, cause);
  for (const std::uint32_t rank : ranks)
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"most that its clock can be",
          ClockText(*telemetry.Mean(rank, quantity::kDeviceSmClockMax.name))}});
  TellClocks(input, cause);
  cause.evidence_table = "telemetry_by_rank";
  cause.lost_ns =
      static_cast<std::int64_t>(lost / static_cast<double>(ranks.size() * input.counted().size()));
  cause.gain = input.GainOf(without);
  cause.without = std::move(without);
  cause.gain_method = "estimate";
  cause.confidence = 0.7;
  cause.why =
      "clocks and the reasons that hold them down, as the driver told them around the recording; "
      "the gain is a replay in which matrix products, convolutions and attention take as much less "
      "time as the clock is below its maximum";
  cause.what =
      fmt::format("{} holds down the clocks of {}, which could be x{:.2f} as fast",
                  ReasonsText(telemetry, ranks), WhoText(input, ranks), 1 / part[ranks.front()]);
  return cause;
}

std::optional<Cause> FindPowerThrottle(const RuleInput& input) {
  std::optional<Cause> cause = ThrottledBesidePeers(input);
  return cause ? std::move(cause) : SlowerThanTheyCouldBe(input);
}

constexpr std::array<Advice, 1> kPowerThrottleAdvice = {{
    {[](const Setting& of) { return of.IsAmd(); },
     "Look at cooling (fans, airflow, inlet temperature), the power cap (amd-smi metric --power; "
     "amd-smi static --limit) and the rack's supply; drain the host until the clock stays up "
     "under load."},
}};

}  // namespace

const Rule& PowerThrottleRule() {
  static const Rule kRule{
      .id = "power-throttle",
      .summary = "the device's clocks are held down",
      .tier = Tier::kRoot,
      .takes = Takes::kSlowerKernels,
      .tables = {&TelemetryByRankAnalysis()},
      .needs = RuleNeeds::kClocks,
      .find = FindPowerThrottle,
      .why =
          "kernels of equal shapes take longer than on the ranks that do the same work, and around "
          "the recording the driver held the clock down",
      .recommendation =
          "Look at cooling (fans, airflow, inlet temperature), the power cap (nvidia-smi -q -d "
          "POWER) and the rack's supply; drain the host until the clock stays up under load.",
      .command = "rankscope table telemetry_by_rank TRACES",
      .shown_in = {"rank_breakdown"},
      .advice = kPowerThrottleAdvice,
  };
  return kRule;
}

}  // namespace rankscope
