// slow-host: the processor of a rank is slower than its peers'.
#include <fmt/core.h>

#include <algorithm>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

bool IsOrdinary(Work work) {
  return work == Work::kOp || work == Work::kLaunchCall || work == Work::kOtherCall ||
         work == Work::kPython;
}

struct Sums {
  double own = 0, typical = 0, slower = 0;
};

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  std::vector<Sums> ranks(input.ranks());
  const auto typical_of = [&](NodeId node) { return input.alike().duration_ns[node]; };
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    // Ops and launches alone tell how fast a processor is: elsewhere it may wait for others.
    if ((kind.work != Work::kOp && kind.work != Work::kLaunchCall) || typical_of(node) <= 0) return;
    Sums& sums = ranks[input.RankOf(node)];
    const auto own = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const auto typical = static_cast<double>(typical_of(node));
    sums.own += own;
    sums.typical += typical;
    if (own > typical * (1 + (kSlowHost - 1) / 2)) sums.slower += own;
  });
  const std::vector<std::uint32_t> slow = RanksThat(input, [&](std::uint32_t rank) {
    const Sums& sums = ranks[rank];
    return input.peers().SizeFor(rank) > 1 && sums.own > kSlowHost * sums.typical &&
           sums.slower > kSlowHostShare * sums.own;
  });
  if (slow.empty()) return;
  Cause cause;
  cause.id = "slow-host";
  cause.tier = Tier::kRoot;
  cause.ranks = slow;
  Scenario without = input.recorded();
  double own = 0, typical = 0;
  for (const std::uint32_t rank : slow) {
    own += ranks[rank].own;
    typical += ranks[rank].typical;
  }
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(slow.begin(), slow.end(), input.RankOf(node))) continue;
    const NodeKind& kind = input.graph().KindOf(node);
    if (IsDevice(kind.work)) continue;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    const std::int64_t target =
        typical_of(node) != Typical::kUnknown
            ? typical_of(node)
            : (IsOrdinary(kind.work)
                   ? static_cast<std::int64_t>(static_cast<double>(now) * typical / own)
                   : now);
    if (now > target) nodes.push_back(node);
    without.SetDuration(node, std::min(now, target));
  }
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(
      (own - typical) / static_cast<double>(input.counted().size() * slow.size()));
  cause.what = fmt::format(
      "the processor of {} takes x{:.2f} as long as its peers' for the same ops and launches",
      WhoText(input, slow), own / typical);
  cause.why =
      "host time inside ops and launch calls, compared at each place of the step with the median "
      "of the ranks that do the same work";
  cause.recommendation =
      "Pin the ranks' processes to the cores of their device's NUMA node, set the performance "
      "governor, and look for other processes on that host (CPU pressure, context switches).";
  cause.command = "rankscope table host_breakdown TRACES";
  cause.evidence_table = "host_breakdown";
  for (const std::uint32_t rank : slow)
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"ops and launches per step",
          TimeText(ranks[rank].own / static_cast<double>(input.counted().size()))},
         {"the same on its peers",
          TimeText(ranks[rank].typical / static_cast<double>(input.counted().size()))}});
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& SlowHostRule() {
  static const Rule kRule{.ids = {"slow-host"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
