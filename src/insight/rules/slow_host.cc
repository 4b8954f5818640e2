// slow-host: the processor of a rank is slower than its peers'.
#include <fmt/core.h>

#include <algorithm>

#include "insight/cause_tools.h"
#include "insight/evidence/peer_speed.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// Ops and launches alone tell how fast a processor is: elsewhere it may wait for others.
bool TellsSpeed(const NodeKind& kind) {
  return kind.work == Work::kOp || kind.work == Work::kLaunchCall;
}

bool IsOrdinary(Work work) {
  return work == Work::kOp || work == Work::kLaunchCall || work == Work::kOtherCall ||
         work == Work::kPython;
}

std::optional<Cause> Find(const RuleInput& input) {
  const std::vector<PeerSpeed> speeds = SpeedOfRanks(input, input.alike(), kSlowHost, TellsSpeed);
  const std::vector<std::uint32_t> slow = RanksThat(input, [&](std::uint32_t rank) {
    const PeerSpeed& speed = speeds[rank];
    return input.peers().SizeFor(rank) > 1 && speed.own_ns > kSlowHost * speed.typical_ns &&
           speed.slower_ns > kSlowHostShare * speed.own_ns;
  });
  if (slow.empty()) return std::nullopt;
  const PeerSpeed sum = SumOf(speeds, slow);
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(slow.begin(), slow.end(), input.RankOf(node))) continue;
    const NodeKind& kind = input.graph().KindOf(node);
    if (IsDevice(kind.work)) continue;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    std::int64_t target = input.alike().duration_ns[node];
    if (target == Typical::kUnknown) {
      target =
          IsOrdinary(kind.work)
              ? static_cast<std::int64_t>(static_cast<double>(now) * sum.typical_ns / sum.own_ns)
              : now;
    }
    if (now > target) nodes.push_back(node);
    without.SetDuration(node, std::min(now, target));
  }
  Cause cause;
  cause.ranks = slow;
  TellWhere(input, nodes, cause);
  TellSpeed(input, speeds, "ops and launches per step", "the same on its peers", cause);
  cause.evidence_table = "host_breakdown";
  cause.without = std::move(without);
  cause.what = fmt::format(
      "the processor of {} takes x{:.2f} as long as its peers' for the same ops and launches",
      WhoText(input, slow), sum.own_ns / sum.typical_ns);
  return cause;
}

}  // namespace

const Rule& SlowHostRule() {
  static const Rule kRule{
      .id = "slow-host",
      .tier = Tier::kRoot,
      .needs = RuleNeeds::kSeveralRanks,
      .find = Find,
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
