// A scenario: changed durations and dependencies of nodes; and its replay.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/columns/changed_values.h"
#include "replay/columns/near_times.h"
#include "replay/job_graph/job_graph.h"
#include "replay/scenario/step_ends.h"

namespace rankscope {

// Starts as the recording. Memory grows with the changes (changed_values.h), at most 14 bytes per
// node and 1 per edge. The graph must outlive it.
class Scenario {
 public:
  explicit Scenario(const JobGraph& graph) : graph_(&graph) {}

  const JobGraph& graph() const { return *graph_; }
  std::int64_t DurationOf(NodeId node) const {
    if (!takes_no_time_.empty() && takes_no_time_[graph_->nodes().KindOf(node)] != 0) return 0;
    const std::int64_t ns = duration_.Read(node, RecordedDuration(node));
    const float* const factor = factor_.Find(node);
    if (factor == nullptr || *factor == 1) return ns;
    return static_cast<std::int64_t>(static_cast<double>(ns) * *factor);
  }
  void SetDuration(NodeId node, std::int64_t ns) {
    const std::int64_t set = ns < 0 ? 0 : ns;
    if (set != RecordedDuration(node) || duration_.IsHeld(node))
      duration_.Set(node, set, graph_->nodes().size(),
                    [this](std::size_t i) { return RecordedDuration(i); });
  }
  std::int64_t GapOf(NodeId node) const { return gap_.Read(node, RecordedGap(node)); }
  void SetGap(NodeId node, std::int64_t ns) {
    if (ns != RecordedGap(node) || gap_.IsHeld(node))
      gap_.Set(node, ns, graph_->nodes().size(), [this](std::size_t i) { return RecordedGap(i); });
  }
  // All nodes of the kind (of graph().kinds()) take no time, regardless of other changes.
  void TakesNoTime(std::uint32_t kind) {
    takes_no_time_.resize(graph_->kinds().size(), 0);
    takes_no_time_[kind] = 1;
  }
  // The node no longer waits for the source of the edge; `edge` counts from 0 over all edges.
  void Cut(std::size_t edge) {
    is_cut_.resize(graph_->edge_count(), 0);
    is_cut_[edge] = 1;
  }
  // No work on its stream waits for this node's end: the next work follows the previous work, as if
  // the node ran on a separate stream.
  void Overlap(NodeId node) {
    overlaps_.resize(graph_->nodes().size(), 0);
    overlaps_[node] = 1;
  }

  bool IsCut(std::size_t edge) const { return !is_cut_.empty() && is_cut_[edge] != 0; }
  bool HasOverlaps() const { return !overlaps_.empty(); }
  bool Overlaps(NodeId node) const { return !overlaps_.empty() && overlaps_[node] != 0; }

  // Multiplies the work by the factor, in addition to other changes.
  void Scale(NodeId node, float factor) {
    factor_.At(node, graph_->nodes().size(), [](std::size_t) { return 1.0F; }) *= factor;
  }

  // Adds the changes of the other: if both change a time, the shorter one; factors multiply. O(its
  // changes).
  void Apply(const Scenario& other);

 private:
  std::int64_t RecordedDuration(std::size_t node) const { return graph_->nodes().DurationOf(node); }
  std::int64_t RecordedGap(std::size_t node) const { return graph_->nodes().GapOf(node); }

  const JobGraph* graph_;
  ChangedTimes duration_, gap_;
  ChangedValues<float> factor_;
  std::vector<std::uint8_t> is_cut_, overlaps_, takes_no_time_;  // empty: none
};

// The times of all nodes in a scenario. O(nodes + edges), some 10 ns each; 8 bytes per node. For
// only the steps, use StepTimesOf (step_times.h).
class Replay {
 public:
  explicit Replay(const Scenario& scenario);

  std::int64_t BeginOf(NodeId node) const { return begin_[node]; }
  std::int64_t EndOf(NodeId node) const { return end_[node]; }
  // The end of the step on the last rank; INT64_MIN: unknown.
  std::int64_t StepEnd(std::size_t step) const { return steps_.End(step); }
  std::int64_t StepBegin(std::size_t step) const { return steps_.Begin(step); }
  std::int64_t StepTime(std::size_t step) const { return steps_.Time(step); }
  // The node that ends the step, kNoNode without any.
  NodeId LastOf(std::size_t step) const { return steps_.LastOf(step); }
  // Over the complete steps of the job, or over all if none is complete; 0 without steps.
  double MeanStep() const { return steps_.Mean(); }

 private:
  std::int64_t BeginIn(const Scenario& scenario, NodeId node) const;

  const JobGraph& graph_;
  NearTimes begin_, end_;
  StepEnds steps_;
};

// The counted steps: among those with begin and end known from nodes (and, where steps were chosen,
// among these), the complete ones, or all if none is complete.
inline const std::vector<std::size_t>& CountedSteps(const JobGraph& graph) {
  return graph.counted_steps();
}

}  // namespace rankscope
