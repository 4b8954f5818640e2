// The lock of the CUDA runtime: threads wait in their calls while others hold it.
#pragma once

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// cudaHostAlloc, cudaLaunchKernel and cudaMemcpyAsync take the lock. HTA assumes that of
// overlapping calls, on any threads, the call that ends first also had the lock first.
class RuntimeLock {
 public:
  explicit RuntimeLock(const Graph& graph);

  // Both are nodes of calls that take the lock, and not the end of one and the start of the next:
  // AddEdges then handles what is between them.
  bool IsBetween(NodeId first, NodeId second) const {
    return Takes(Graph::EventOf(first)) && Takes(Graph::EventOf(second)) &&
           (Graph::IsStart(first) || !Graph::IsStart(second));
  }

  // In time order: each end gets edges from every open call, its own with the time in between and
  // the others as pure order; after that no call is open. An end right after another end gets an
  // edge from it. Every start has one edge. O(n log n).
  void AddEdges(Graph& graph) const;

 private:
  bool Takes(std::uint32_t event) const { return takes_[event] != 0; }
  std::vector<std::uint8_t> takes_;  // by event of the window
};

}  // namespace rankscope::hta
