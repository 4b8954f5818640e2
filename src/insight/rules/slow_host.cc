// slow-host: the processor of a rank is slower than its peers'.
#include <fmt/core.h>

#include "analysis/telemetry/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/contended_hosts.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Where half of the hosts are slow, that is no scatter from so many times what the others take on.
constexpr double kSlowHalf = 1.4;

std::optional<Cause> FindSlowHost(const RuleInput& input) {
  const std::vector<std::uint32_t>& slow = input.Shared<ContendedHosts>().others;
  if (slow.empty() || 2 * slow.size() > input.ranks()) return std::nullopt;
  const PeerSpeed sum = SumOf(input.Shared<SlowHosts>().speeds, slow);
  if (2 * slow.size() == input.ranks() && sum.own_ns < kSlowHalf * sum.typical_ns)
    return std::nullopt;
  Cause cause = CauseOfSlowHosts(input, slow);
  TellCoreWaits(input, cause);
  cause.what = fmt::format(
      "the host{} of {} {} {:.2f}x slower than {} peers at the same ops and launches",
      slow.size() == 1 ? "" : "s", WhoText(input, slow), slow.size() == 1 ? "is" : "are",
      sum.own_ns / sum.typical_ns, slow.size() == 1 ? "its" : "their");
  return cause;
}

}  // namespace

const Rule& SlowHostRule() {
  static const Rule kRule{
      .id = "slow-host",
      .summary = "one rank's CPU issues work late",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .tables = {&TelemetryByRankAnalysis()},
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindSlowHost,
      .why =
          "host time inside ops and launch calls, compared at each place of the step with the "
          "median of the ranks that do the same work",
      .recommendation =
          "Pin the ranks' processes to the cores of their device's NUMA node, set the performance "
          "governor, and look for other processes on that host (CPU pressure, context switches).",
      .command = "rankscope table host_breakdown TRACES",
  };
  return kRule;
}

}  // namespace rankscope
