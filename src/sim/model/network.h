// The simulated network: how long a collective takes once all its members have begun.
//
// NVLink connects the devices of a host; one NIC per device connects hosts. Latency and bandwidth
// as in NCCL: a ring passes (n - 1) / n of the buffer over every link once per phase and pays one
// hop per member; a tree pays two passes over its depth and has less bandwidth. Sizes are the full
// buffer: the input of an all-reduce, a reduce-scatter or an all-to-all, the output of an
// all-gather, the data that a broadcast or send moves.
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

// How far apart the members of a group are.
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
