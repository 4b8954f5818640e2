// Routing: how many tokens the ranks of an expert group send each other.
//
// Every rank sends the same number of tokens in all. What share of them goes to which rank depends
// on the router, which is about even, or has a favourite rank that differs from layer to layer and
// stays so over steps.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

// One exchange from a rank's view, by the other's place in the group.
struct Routed {
  std::vector<std::int64_t> sent;      // tokens to each
  std::vector<std::int64_t> received;  // tokens from each
  std::int64_t total_received = 0;
};

struct Router {
  std::uint64_t seed = 0;
  std::int64_t tokens = 0;           // that every rank sends
  int members = 1;                   // of the group
  int group = 0;                     // which one
  std::int64_t extra_per_mille = 0;  // load of the favourite, beyond an even share

  // Of the rank at `place` of the group; `layer` counts through micro-batches, too. Cost: members.
  void Route(int step, std::uint32_t layer, int place, Routed* routed) const;
};

}  // namespace rankscope::sim
