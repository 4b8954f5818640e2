#include "insight/evidence/peers/peer_speed.h"

#include <fmt/core.h>

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/peers/host_kind_speed.h"
#include "insight/evidence/peers/kind_speed.h"

namespace rankscope {
namespace {

bool IsOrdinary(Work work) {
  return work == Work::kOp || work == Work::kLaunchCall || work == Work::kOtherCall ||
         work == Work::kPython;
}

}  // namespace

std::vector<PeerSpeed> SpeedOfRanks(const RuleInput& input, const Typical& typical, double slow,
                                    bool (*is_one)(const NodeKind&)) {
  std::vector<PeerSpeed> ranks(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!is_one(kind) || typical.DurationOf(node) <= 0) return;
    PeerSpeed& speed = ranks[input.RankOf(node)];
    const auto own = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const auto usual = static_cast<double>(typical.DurationOf(node));
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

// Where peers cannot tell, kind by kind, against other stages that do the same: usual_share(rank,
// kind) is what a node of that kind usually takes as a share of what it takes here. The ranks that
// were compared.
template <typename UsualShare>
std::vector<bool> CompareByKind(const RuleInput& input, double slow, const UsualShare& usual_share,
                                std::vector<PeerSpeed>& speeds) {
  std::vector<bool> is_begun(speeds.size(), false);
  input.ForEach([&](NodeId node, const NodeKind&) {
    const std::uint32_t rank = input.RankOf(node);
    const auto share = usual_share(rank, input.graph().nodes()[node].kind);
    if (!share) return;
    PeerSpeed& speed = speeds[rank];
    if (!is_begun[rank]) speed = {};
    is_begun[rank] = true;
    const auto own = static_cast<double>(input.graph().nodes()[node].duration_ns);
    speed.own_ns += own;
    speed.typical_ns += own * *share;
    ++speed.places;
    if (*share * (1 + (slow - 1) / 2) >= 1) return;
    speed.slower_ns += own;
    ++speed.slower_places;
  });
  return is_begun;
}

SlowDevices::SlowDevices(const RuleInput& input)
    : speeds(SpeedOfRanks(input, input.same_work(), kSlowDevice,
                          [](const NodeKind& kind) { return kind.work == Work::kCompute; })) {
  CompareByKind(
      input, kSlowDevice,
      [&](std::uint32_t rank, std::uint32_t kind) {
        return input.Shared<KindSpeed>().UsualShare(rank, kind);
      },
      speeds);
  ranks = RanksThat(input, [&](std::uint32_t rank) {
    const PeerSpeed& speed = speeds[rank];
    return speed.own_ns > kSlowDevice * speed.typical_ns &&
           speed.slower_ns > kSlowDeviceShare * speed.own_ns &&
           static_cast<double>(speed.slower_places) >
               kSlowDevicePlaces * static_cast<double>(speed.places);
  });
}

Cause CauseOfSlowDevices(const RuleInput& input, std::vector<std::uint32_t> ranks) {
  const auto& devices = input.Shared<SlowDevices>();
  const PeerSpeed sum = SumOf(devices.speeds, ranks);
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  // Steps that do not count are cured, too: they may hold up those that do.
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node))) continue;
    if (input.graph().KindOf(node).work != Work::kCompute) continue;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    const auto share =
        input.Shared<KindSpeed>().UsualShare(input.RankOf(node), input.graph().nodes()[node].kind);
    const bool has_peers = input.peers().SizeFor(input.RankOf(node)) > 1;
    const std::int64_t target = share ? static_cast<std::int64_t>(static_cast<double>(now) * *share)
                                : has_peers ? input.same_work().DurationOf(node)
                                            : Typical::kUnknown;
    if (target == Typical::kUnknown) {
      without.SetDuration(
          node, static_cast<std::int64_t>(static_cast<double>(now) * sum.typical_ns / sum.own_ns));
    } else {
      without.SetDuration(node, target);
      if (now > target) nodes.push_back(node);
    }
  }
  Cause cause;
  cause.ranks = std::move(ranks);
  TellWhere(input, nodes, cause);
  TellSpeed(input, devices.speeds, "compute per step", "the same kernels on its peers", cause);
  cause.evidence_table = "kernels_by_rank";
  cause.without = std::move(without);
  return cause;
}

SlowHosts::SlowHosts(const RuleInput& input)
    : speeds(SpeedOfRanks(input, input.alike(), kSlowHost, TellsHostSpeed)) {
  const std::vector<bool> by_kind = CompareByKind(
      input, kSlowHost,
      [&](std::uint32_t rank, std::uint32_t kind) {
        return input.Shared<HostKindSpeed>().UsualShare(rank, kind);
      },
      speeds);
  ranks = RanksThat(input, [&](std::uint32_t rank) {
    const PeerSpeed& speed = speeds[rank];
    const bool is_compared = by_kind[rank]
                                 ? input.Shared<HostKindSpeed>().TimesOfCalls(rank) > kSlowHost
                                 : input.peers().SizeFor(rank) > 1;
    return is_compared && speed.own_ns > kSlowHost * speed.typical_ns &&
           speed.slower_ns > kSlowHostShare * speed.own_ns;
  });
}

Cause CauseOfSlowHosts(const RuleInput& input, std::vector<std::uint32_t> ranks) {
  const auto& hosts = input.Shared<SlowHosts>();
  const PeerSpeed sum = SumOf(hosts.speeds, ranks);
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node))) continue;
    const NodeKind& kind = input.graph().KindOf(node);
    if (IsDevice(kind.work)) continue;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    const auto share = input.Shared<HostKindSpeed>().UsualShare(input.RankOf(node),
                                                                input.graph().nodes()[node].kind);
    const bool has_peers = input.peers().SizeFor(input.RankOf(node)) > 1;
    std::int64_t target = share       ? static_cast<std::int64_t>(static_cast<double>(now) * *share)
                          : has_peers ? input.alike().DurationOf(node)
                                      : Typical::kUnknown;
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
  cause.ranks = std::move(ranks);
  TellWhere(input, nodes, cause);
  TellSpeed(input, hosts.speeds, "ops and launches per step", "the same on its peers", cause);
  cause.evidence_table = "host_breakdown";
  cause.without = std::move(without);
  return cause;
}

}  // namespace rankscope
