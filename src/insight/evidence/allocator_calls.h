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
  // Memory is asked for in the only step that was recorded, and hardly given back. A step that is
  // not the program's first one should not ask for any, but whether each does is not known: the
  // calls are the host's work as any other is.
  bool IsOfOnlyStep() const { return is_of_only_step_; }
  // What the calls take, and wait for.
  Cause ToCause() const;

 private:
  const RuleInput* input_;
  NodeSums sums_;
  std::vector<NodeId> calls_;       // also of steps that do not count
  std::vector<std::size_t> waits_;  // edges
  bool fail_ = false;
  bool is_expandable_ = false;
  bool is_of_only_step_ = false;
};

}  // namespace rankscope
