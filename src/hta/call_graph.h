// HTA's CallGraph (hta/common/trace_call_graph.py): host events of each thread nested by time, with
// launched device work below them, and the backward thread below the forward thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

// Nodes are positions in frame.events. O(n log n) to make; the frame must outlive it.
class CallGraph {
 public:
  static constexpr std::uint32_t kRoot = 0xFFFFFFFF;  // not an event: the root of a thread

  struct Node {
    std::uint32_t parent = kRoot;
    std::int32_t depth = -1;   // 0 directly below a root; -1: not in the graph
    std::int32_t height = -1;  // 0: device work; else 1, or 1 + the greatest height below
    std::int64_t kernels = 0;  // number of device work items at or below
    std::int64_t kernel_us = 0;
    // From the first begin to the last end of that work; unset if there is none.
    std::int64_t first_kernel = INT64_MAX;
    std::int64_t last_kernel = INT64_MIN;
    std::int64_t tid = 0;  // of the thread that is its root
  };

  explicit CallGraph(const Frame& frame);

  const Node& operator[](std::uint32_t event) const { return nodes_[event]; }
  std::span<const std::uint32_t> ChildrenOf(std::uint32_t event) const {
    return {children_.data() + first_child_[event], children_.data() + first_child_[event + 1]};
  }

 private:
  struct Thread;
  void Nest(std::span<const std::uint32_t> events);
  void LinkDeviceWork();
  void HangBelow(const Thread& main, const Thread& backward);
  void ListChildren();
  void Measure();

  const Frame& frame_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> first_child_;  // by event, plus the end
  std::vector<std::uint32_t> children_;
};

}  // namespace rankscope::hta
