// Calls that ask the driver for memory, or give it back, in steady state.
#pragma once

#include "insight/evidence/node_sums.h"

namespace rankscope {

class AllocatorTraffic {
 public:
  explicit AllocatorTraffic(const RuleInput& input);

  const NodeSums& sums() const { return sums_; }
  // Allocations fail: each is tried again when the cache was given back, so that two calls ask for
  // one that gives back, step after step.
  bool Fail() const { return fail_; }
  // Memory is mapped into segments that grow: the allocator's expandable_segments is on.
  bool IsExpandable() const { return is_expandable_; }
  // What the calls take, and wait for.
  Cause ToCause() const;

 private:
  const RuleInput* input_;
  NodeSums sums_;
  std::vector<NodeId> calls_;       // also of steps that do not count
  std::vector<std::size_t> waits_;  // edges
  bool fail_ = false;
  bool is_expandable_ = false;
};

}  // namespace rankscope
