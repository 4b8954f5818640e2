// The lock of the CUDA runtime, which threads wait for in one another's calls.
#pragma once

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// cudaHostAlloc, cudaLaunchKernel and cudaMemcpyAsync take the lock; of calls that overlap, on
// whatever threads, HTA takes those that end first to have had it first.
class RuntimeLock {
 public:
  explicit RuntimeLock(const Graph& graph);

  // Both are nodes of calls that take the lock, and not the end of one and the start of the next:
  // whatever is between them is for AddEdges.
  bool IsBetween(NodeId first, NodeId second) const {
    return Takes(Graph::EventOf(first)) && Takes(Graph::EventOf(second)) &&
           (Graph::IsStart(first) || !Graph::IsStart(second));
  }

  // In time order: each end is reached from every call that is open, its own by the time in between
  // and the others by order, after which none is open; and an end from the end right before it.
  // Every start has one edge. O(n log n).
  void AddEdges(Graph& graph) const;

 private:
  bool Takes(std::uint32_t event) const { return takes_[event] != 0; }
  std::vector<std::uint8_t> takes_;  // by event of the window
};

}  // namespace rankscope::hta
