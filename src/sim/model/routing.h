// Routing: how many tokens the ranks of an expert group send each other.
//
// Every rank sends the same number of tokens in total. The router decides the share of each rank:
// it is either about even, or it has a favourite rank, which differs between layers and stays the
// same over steps.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

// One exchange from a rank's view; indices are places in the group.
struct Routed {
  std::vector<std::int64_t> sent;      // tokens to each
  std::vector<std::int64_t> received;  // tokens from each
  std::int64_t total_received = 0;
};

struct Router {
  std::uint64_t seed = 0;
  std::int64_t tokens = 0;           // sent by every rank
  int members = 1;                   // of the group
  int group = 0;                     // the group's number
  std::int64_t extra_per_mille = 0;  // load of the favourite, beyond an even share

  // For the rank at `place` of the group; `layer` also counts through micro-batches. Cost: members.
  void Route(int step, std::uint32_t layer, int place, Routed* routed) const;
};

}  // namespace rankscope::sim
