// Times of kernels while their device communicates, compared with the same kernels alone.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Kernels with the same rank, name, inputs and launch are compared. A kernel runs beside
// communication if its rank communicates for at least half of its time, and alone if for at most a
// twentieth; at least three of each are needed. Kernels below 20 us are mostly launching and are
// ignored.
struct BesideCommunication {
  // O(nodes log nodes).
  explicit BesideCommunication(const RuleInput& input);

  // The median time of the kernel alone, if it ran beside communication and enough equal ones did
  // not; otherwise 0.
  std::int64_t AloneNs(NodeId node) const { return alone_ns.empty() ? 0 : alone_ns[node]; }

  std::vector<std::int64_t> alone_ns;  // by node; empty: none
  std::vector<NodeId> nodes;           // those of which it is known
  std::vector<NodeId> others;          // that ran beside communication, and of which it is not
  std::size_t kernels = 0;             // of `nodes`, those of different ranks as one
};

}  // namespace rankscope
