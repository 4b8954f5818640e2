// Calls that allocate memory from the driver, or free it, in steady state.
#pragma once

#include "insight/evidence/loss/node_sums.h"

namespace rankscope {

class AllocatorTraffic {
 public:
  explicit AllocatorTraffic(const RuleInput& input);

  const NodeSums& sums() const { return sums_; }
  // Allocations fail: each is retried after the cache was freed, so there are two allocating calls
  // per freeing call, in every step.
  bool Fail() const { return fail_; }
  // Memory is mapped into segments that grow: the allocator's expandable_segments is on.
  bool IsExpandable() const { return is_expandable_; }
  // Nearly all of their time is for pinned memory of the host: buffers that are pinned in the loop.
  bool PinsMemory() const { return pins_memory_; }
  // Memory is allocated in the only recorded step, and hardly freed. Later steps of a program
  // should not allocate, but with one step it is unknown whether each does: the calls count as
  // other host work.
  bool IsOfOnlyStep() const { return is_of_only_step_; }
  // The time and waits of the calls.
  Cause ToCause() const;

 private:
  const RuleInput* input_;
  NodeSums sums_;
  std::vector<NodeId> calls_;       // including steps that do not count
  std::vector<std::size_t> waits_;  // edges
  bool fail_ = false;
  bool is_expandable_ = false;
  bool is_of_only_step_ = false;
  bool pins_memory_ = false;
};

}  // namespace rankscope
