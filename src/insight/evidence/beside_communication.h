// What kernels take while their device communicates, against what the same kernels take alone.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Kernels of one rank, name, inputs and launch are the same. One runs beside communication when its
// rank communicates for half of its time or more, and alone when it does for a twentieth at most;
// three of each tell. Kernels below 20 us are mostly launching and tell nothing.
struct BesideCommunication {
  // O(nodes log nodes).
  explicit BesideCommunication(const RuleInput& input);

  // What the kernel takes alone (the median), where it ran beside communication and enough of its
  // like did not; 0 otherwise.
  std::int64_t AloneNs(NodeId node) const { return alone_ns.empty() ? 0 : alone_ns[node]; }

  std::vector<std::int64_t> alone_ns;  // by node; empty: none
  std::vector<NodeId> nodes;           // those of which it is known
  std::vector<NodeId> others;          // that ran beside communication, and of which it is not
  std::size_t kernels = 0;             // of `nodes`, those of different ranks as one
};

}  // namespace rankscope
