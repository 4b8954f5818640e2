// A scenario: what nodes would take, and what they would wait for, if something were otherwise; and
// the replay of it.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/changed_values.h"
#include "replay/job_graph.h"
#include "replay/near_times.h"
#include "replay/step_ends.h"

namespace rankscope {

// Starts as the recording. Memory follows what is changed (changed_values.h), at most 14 bytes per
// node and 1 per edge. The graph outlives it.
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
  // All nodes of the kind (of graph().kinds()) take no time, whatever else is set.
  void TakesNoTime(std::uint32_t kind) {
    takes_no_time_.resize(graph_->kinds().size(), 0);
    takes_no_time_[kind] = 1;
  }
  // The node waits no longer for what the edge leads from; `edge` counts from 0 in all.
  void Cut(std::size_t edge) {
    is_cut_.resize(graph_->edge_count(), 0);
    is_cut_[edge] = 1;
  }
  // Nobody waits for this one's end on its stream: what follows it there follows the work before
  // it, as if it ran on a stream of its own.
  void Overlap(NodeId node) {
    overlaps_.resize(graph_->nodes().size(), 0);
    overlaps_[node] = 1;
  }

  bool IsCut(std::size_t edge) const { return !is_cut_.empty() && is_cut_[edge] != 0; }
  bool HasOverlaps() const { return !overlaps_.empty(); }
  bool Overlaps(NodeId node) const { return !overlaps_.empty() && overlaps_[node] != 0; }

  // There is so much of the work, beside whatever else is otherwise with it.
  void Scale(NodeId node, float factor) {
    factor_.At(node, graph_->nodes().size(), [](std::size_t) { return 1.0F; }) *= factor;
  }

  // What the other changes: of what both change, the shorter; factors multiply. O(what it changes).
  void Apply(const Scenario& other);

 private:
  std::int64_t RecordedDuration(std::size_t node) const { return graph_->nodes().DurationOf(node); }
  std::int64_t RecordedGap(std::size_t node) const { return graph_->nodes().GapOf(node); }

  const JobGraph* graph_;
  ChangedTimes duration_, gap_;
  ChangedValues<float> factor_;
  std::vector<std::uint8_t> is_cut_, overlaps_, takes_no_time_;  // empty: none
};

// The times of all nodes in a scenario. O(nodes + edges), some 10 ns each; 8 bytes per node. Who
// asks for the steps alone takes StepTimesOf (step_times.h).
class Replay {
 public:
  explicit Replay(const Scenario& scenario);

  std::int64_t BeginOf(NodeId node) const { return begin_[node]; }
  std::int64_t EndOf(NodeId node) const { return end_[node]; }
  // When the step ends on the last rank; INT64_MIN: it is not known.
  std::int64_t StepEnd(std::size_t step) const { return steps_.End(step); }
  std::int64_t StepBegin(std::size_t step) const { return steps_.Begin(step); }
  std::int64_t StepTime(std::size_t step) const { return steps_.Time(step); }
  // The node that ends the step, kNoNode without any.
  NodeId LastOf(std::size_t step) const { return steps_.LastOf(step); }
  // Over the complete steps of the job, over all when none is; 0 without steps.
  double MeanStep() const { return steps_.Mean(); }

 private:
  std::int64_t BeginIn(const Scenario& scenario, NodeId node) const;

  const JobGraph& graph_;
  NearTimes begin_, end_;
  StepEnds steps_;
};

// The steps that count: of those whose begin and end nodes tell, the complete ones, or all when
// none is.
inline const std::vector<std::size_t>& CountedSteps(const JobGraph& graph) {
  return graph.counted_steps();
}

}  // namespace rankscope
