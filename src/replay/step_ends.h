// StepEnds: when the steps end in a replay, and what they take by that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/job_graph.h"

namespace rankscope {

class StepEnds {
 public:
  // 16 bytes per step; the graph outlives it.
  explicit StepEnds(const JobGraph& graph);

  // A node that ends its step has ended; kNoNode: which one is not asked for.
  void Add(std::uint32_t step, std::int64_t end_ns, NodeId node = kNoNode) {
    if (end_ns <= end_[step]) return;
    end_[step] = end_ns;
    last_[step] = node;
  }
  // All were added. A step whose work all ran behind that of the step before takes no time of its
  // own.
  void Finish();

  // INT64_MIN: it is not known.
  std::int64_t End(std::size_t step) const { return end_[step]; }
  std::int64_t Begin(std::size_t step) const;
  std::int64_t Time(std::size_t step) const { return End(step) - Begin(step); }
  // The node that was the last, kNoNode without any.
  NodeId LastOf(std::size_t step) const { return last_[step]; }
  // Over the complete steps of the job, over all when none is; 0 without steps.
  double Mean() const;

 private:
  const JobGraph* graph_;
  std::vector<std::int64_t> end_;
  std::vector<NodeId> last_;
};

}  // namespace rankscope
