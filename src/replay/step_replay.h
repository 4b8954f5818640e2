// StepReplay: what a single step would take if only its own work were otherwise, without replaying
// the whole job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

// Of the order of a replay, work before the first node of the step is as it was, and work behind
// the last node that ends the step, or one before it, decides nothing: what lies between is gone
// through again. So all steps together cost about one replay. For one thread; the graph and the
// replay outlive it. 4 bytes per node, and 16 per node of the longest step.
class StepReplay {
 public:
  StepReplay(const JobGraph& graph, const Replay& recorded);

  // Equal to Replay(scenario).StepTime(step), where the scenario differs from the replayed one in
  // nodes of `step` alone. O(nodes of the step and of those beside it).
  std::int64_t StepTime(const Scenario& scenario, std::size_t step);

 private:
  struct Stretch {  // places of the graph's order
    std::size_t begin = SIZE_MAX;
    std::size_t end = 0;
  };

  class Times;

  const JobGraph& graph_;
  const Replay& recorded_;
  std::vector<std::uint32_t> place_of_;       // by node: in the graph's order
  std::vector<std::int64_t> begin_, end_;     // of the stretch at hand, by place from its begin
  std::size_t most_members_ = 1;              // of a rendezvous, by which a stretch may be longer
  std::vector<Stretch> stretches_;            // by step
  std::vector<std::vector<NodeId>> ends_of_;  // nodes that end the step
};

}  // namespace rankscope
