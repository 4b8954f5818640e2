// StepEnds: the ends of steps in a replay, and the resulting step times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/job_graph/job_graph.h"

namespace rankscope {

class StepEnds {
 public:
  // 16 bytes per step; the graph must outlive it.
  explicit StepEnds(const JobGraph& graph);

  // A node that ends its step has ended; kNoNode: the node is not needed.
  void Add(std::uint32_t step, std::int64_t end_ns, NodeId node = kNoNode) {
    if (end_ns <= end_[step]) return;
    end_[step] = end_ns;
    last_[step] = node;
  }
  // Call it after all were added. A step takes no time if all of its work ended before the previous
  // step's end.
  void Finish();

  // INT64_MIN: unknown.
  std::int64_t End(std::size_t step) const { return end_[step]; }
  std::int64_t Begin(std::size_t step) const;
  std::int64_t Time(std::size_t step) const { return End(step) - Begin(step); }
  // The node that was the last, kNoNode without any.
  NodeId LastOf(std::size_t step) const { return last_[step]; }
  // Over the complete steps of the job, or over all if none is complete; 0 without steps.
  double Mean() const;

 private:
  const JobGraph* graph_;
  std::vector<std::int64_t> end_;
  std::vector<NodeId> last_;
};

}  // namespace rankscope
