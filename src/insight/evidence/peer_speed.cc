#include "insight/evidence/peer_speed.h"

#include <fmt/core.h>

#include "insight/cause_tools.h"
#include "insight/thresholds.h"

namespace rankscope {

std::vector<PeerSpeed> SpeedOfRanks(const RuleInput& input, const Typical& typical, double slow,
                                    bool (*is_one)(const NodeKind&)) {
  std::vector<PeerSpeed> ranks(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!is_one(kind) || typical.duration_ns[node] <= 0) return;
    PeerSpeed& speed = ranks[input.RankOf(node)];
    const auto own = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const auto usual = static_cast<double>(typical.duration_ns[node]);
    speed.own_ns += own;
    speed.typical_ns += usual;
    ++speed.places;
    if (own <= usual * (1 + (slow - 1) / 2)) return;
    speed.slower_ns += own;
    ++speed.slower_places;
  });
  return ranks;
}

PeerSpeed SumOf(const std::vector<PeerSpeed>& speeds, const std::vector<std::uint32_t>& ranks) {
  PeerSpeed sum;
  for (const std::uint32_t rank : ranks) {
    sum.own_ns += speeds[rank].own_ns;
    sum.typical_ns += speeds[rank].typical_ns;
    sum.slower_ns += speeds[rank].slower_ns;
    sum.places += speeds[rank].places;
    sum.slower_places += speeds[rank].slower_places;
  }
  return sum;
}

void TellSpeed(const RuleInput& input, const std::vector<PeerSpeed>& speeds, const std::string& own,
               const std::string& typical, Cause& cause) {
  const auto steps = static_cast<double>(input.counted().size());
  for (const std::uint32_t rank : cause.ranks)
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {own, TimeText(speeds[rank].own_ns / steps)},
         {typical, TimeText(speeds[rank].typical_ns / steps)}});
  const PeerSpeed sum = SumOf(speeds, cause.ranks);
  cause.lost_ns =
      static_cast<std::int64_t>((sum.own_ns - sum.typical_ns) /
                                static_cast<double>(input.counted().size() * cause.ranks.size()));
}

SlowDevices::SlowDevices(const RuleInput& input)
    : speeds(SpeedOfRanks(input, input.same_work(), kSlowDevice,
                          [](const NodeKind& kind) { return kind.work == Work::kCompute; })) {
  ranks = RanksThat(input, [&](std::uint32_t rank) {
    const PeerSpeed& speed = speeds[rank];
    return input.peers().SizeFor(rank) > 1 && speed.own_ns > kSlowDevice * speed.typical_ns &&
           speed.slower_ns > kSlowDeviceShare * speed.own_ns &&
           static_cast<double>(speed.slower_places) >
               kSlowDevicePlaces * static_cast<double>(speed.places);
  });
}

}  // namespace rankscope
