// Kernels during which their device ran something else: another process shares it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// A kernel that takes over 10 times as long as a quarter of its kind (name, inputs, launch) take at
// most on its rank, and over 1 ms longer, did not compute all that time: devices take turns of some
// milliseconds between processes. What it takes tells nothing of the kernel or the rank.
struct Preempted {
  // O(nodes).
  explicit Preempted(const RuleInput& input);

  bool Has(NodeId node) const { return !has.empty() && has[node]; }

  std::vector<bool> has;  // by node; empty: none
  // Of these: what a quarter of their kind take at most.
  std::map<NodeId, std::int64_t> usual_ns;
};

}  // namespace rankscope
