// Kernels interrupted on their device by another process that shares it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// A kernel was interrupted if it takes over 10 times the lower quartile of its kind (name, inputs,
// launch) on its rank, and over 1 ms longer: devices alternate between processes in slices of some
// milliseconds. Where most of a kind take about as long as each other, and its work
// does not depend on values (attention, lookups, experts), 1.5 times is enough. Its time says
// nothing about the kernel or the rank. At a place of the step that takes so long in most steps, it
// is more work.
struct Preempted {
  // O(nodes).
  explicit Preempted(const RuleInput& input);

  bool Has(NodeId node) const { return !has.empty() && has[node]; }

  std::vector<bool> has;  // by node; empty: none
  // For these: the lower quartile of their kind.
  std::map<NodeId, std::int64_t> usual_ns;
};

}  // namespace rankscope
