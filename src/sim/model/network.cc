#include "sim/model/network.h"

#include <bit>

namespace rankscope::sim {
namespace {

constexpr double kNvlinkBytesPerNs = 180;
constexpr double kNetworkBytesPerNs = 80;  // of a ring over hosts: all NICs of a host take part
constexpr double kNicBytesPerNs = 24;      // of one device
constexpr double kTreeShare = 0.8;         // of the ring's bandwidth
constexpr std::int64_t kStartNs = 9'000;   // of every kernel: all members see each other
constexpr std::int64_t kNvlinkHopNs = 700;
constexpr std::int64_t kNetworkHopNs = 2'500;

double RingBytesPerNs(const Reach& reach) {
  return reach.hosts > 1 ? kNetworkBytesPerNs : kNvlinkBytesPerNs;
}

// Once around the ring.
std::int64_t RingHopsNs(const Reach& reach) {
  const std::int64_t between = reach.hosts > 1 ? reach.hosts : 0;
  return (reach.members - between) * kNvlinkHopNs + between * kNetworkHopNs;
}

int Depth(int nodes) { return std::bit_width(static_cast<unsigned>(nodes - 1)); }

// Once up or down the tree: a chain within hosts, a binary tree between them.
std::int64_t TreeHopsNs(const Reach& reach) {
  const int per_host = (reach.members + reach.hosts - 1) / reach.hosts;
  return (per_host - 1) * kNvlinkHopNs + Depth(reach.hosts) * kNetworkHopNs;
}

std::int64_t Nanoseconds(double bytes, double bytes_per_ns) {
  return static_cast<std::int64_t>(bytes / bytes_per_ns);
}

Transfer AllReduce(double bytes, double share, const Reach& reach) {
  const double ring_rate = RingBytesPerNs(reach);
  const std::int64_t ring =
      kStartNs + 2 * RingHopsNs(reach) + Nanoseconds(2 * share * bytes, ring_rate);
  const std::int64_t tree =
      kStartNs + 2 * TreeHopsNs(reach) + Nanoseconds(2 * bytes, kTreeShare * ring_rate);
  return tree < ring ? Transfer{tree, Algorithm::kTree} : Transfer{ring, Algorithm::kRing};
}

// Every member sends an equal part to every other one; those of other hosts go through its NIC.
Transfer AllToAll(double bytes, const Reach& reach) {
  const double members = reach.members;
  const double outside = reach.hosts > 1 ? members - members / reach.hosts : 0;
  const double inside = members - 1 - outside;
  const std::int64_t nvlink = Nanoseconds(bytes * inside / members, kNvlinkBytesPerNs);
  const std::int64_t nic = Nanoseconds(bytes * outside / members, kNicBytesPerNs);
  const std::int64_t hop = reach.hosts > 1 ? kNetworkHopNs : kNvlinkHopNs;
  return {kStartNs + 2 * hop + (nvlink > nic ? nvlink : nic), Algorithm::kDirect};
}

}  // namespace

Transfer TransferOf(Exchange exchange, std::int64_t bytes, const Reach& reach) {
  const auto size = static_cast<double>(bytes);
  const double share = static_cast<double>(reach.members - 1) / reach.members;
  switch (exchange) {
    case Exchange::kAllReduce:
      return AllReduce(size, share, reach);
    case Exchange::kAllGather:
    case Exchange::kReduceScatter:
      return {kStartNs + RingHopsNs(reach) + Nanoseconds(share * size, RingBytesPerNs(reach)),
              Algorithm::kRing};
    case Exchange::kAllToAll:
      return AllToAll(size, reach);
    case Exchange::kBroadcast:
      return {kStartNs + RingHopsNs(reach) + Nanoseconds(size, RingBytesPerNs(reach)),
              Algorithm::kRing};
    case Exchange::kSendReceive:
      break;
  }
  const bool far = reach.hosts > 1;
  return {kStartNs + (far ? kNetworkHopNs : kNvlinkHopNs) +
              Nanoseconds(size, far ? kNicBytesPerNs : kNvlinkBytesPerNs),
          Algorithm::kDirect};
}

}  // namespace rankscope::sim
