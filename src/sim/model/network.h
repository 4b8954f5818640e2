// The simulated network: how long a collective takes once all its members have begun.
//
// Devices of a host are joined by NVLink, hosts by a NIC per device. Latency and bandwidth as for
// NCCL: a ring passes (n - 1) / n of the buffer over every link once per phase and pays a hop per
// member; a tree pays two passes over its depth and less bandwidth. Sizes are the full buffer: what
// an all-reduce reduces, an all-gather yields, a reduce-scatter or all-to-all takes in, a broadcast
// or send moves.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::sim {

enum class Exchange : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kSendReceive,
};

// How far the members of a group lie apart.
struct Reach {
  int members = 1;
  int hosts = 1;
};

enum class Algorithm : std::uint8_t { kRing, kTree, kDirect };

struct Transfer {
  std::int64_t ns = 0;
  Algorithm algorithm = Algorithm::kRing;
};

// The faster algorithm and its time, before jitter.
Transfer TransferOf(Exchange exchange, std::int64_t bytes, const Reach& reach);

}  // namespace rankscope::sim
