// StepPass: a pass over the graph for several scenarios that keeps only the times of steps.
//
// The end of a node is kept until its last successor has begun; then its slot (JobGraph::SlotOf) is
// reused. So memory is proportional to the nodes in progress, some per rank, and stays in a core's
// cache. A pass is copied where a scenario branches off.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/spilled_pages.h"
#include "replay/job_graph/job_graph.h"
#include "replay/scenario/step_ends.h"

namespace rankscope {

// Scenario has DurationOf, GapOf, Overlaps of a node, HasOverlaps, and IsCut of an edge. 8 bytes
// per slot and scenario, 16 where work overlaps.
template <std::size_t kMost, typename Scenario>
class StepPass {
 public:
  // At most kMost scenarios of the graph, which must outlive it.
  StepPass(const JobGraph& graph, std::span<const Scenario* const> scenarios)
      : graph_(&graph),
        count_(scenarios.size()),
        has_overlaps_(std::any_of(scenarios.begin(), scenarios.end(),
                                  [](const Scenario* of) { return of->HasOverlaps(); })),
        end_(graph.slot_count()),
        behind_(has_overlaps_ ? graph.slot_count() : 0),
        steps_(scenarios.size(), StepEnds(graph)) {
    std::copy(scenarios.begin(), scenarios.end(), scenarios_.begin());
  }

  // Continues to this place of the order, and to the end of a rendezvous there.
  void RunTo(std::size_t place) {
    const std::span<const NodeId> order = graph_->order();
    std::size_t look = 0;
    while (place_ < place) {
      if (++look % kLooks == 0) KeepSpilledSmall();
      const std::uint32_t rendezvous = graph_->nodes().RendezvousOf(order[place_]);
      if (rendezvous == kNoRendezvous) {
        const Arrival arrival = ArrivalOf(order[place_]);
        End(order[place_], arrival, arrival.begin);
        ++place_;
      } else {
        const std::size_t members = graph_->meetings()[rendezvous].count;
        Meet(std::span(order).subspan(place_, members));
        place_ += members;
      }
    }
  }

  // Continues a pass of one scenario with another scenario.
  void GoOnAs(const Scenario& other) { scenarios_.front() = &other; }

  // The steps so far, by scenario. Ends the pass.
  std::vector<StepEnds> Take() {
    for (StepEnds& steps : steps_) steps.Finish();
    return std::move(steps_);
  }

 private:
  // After this many nodes or rendezvous: ranks take turns, each in separate pages.
  static constexpr std::size_t kLooks = 256;

  // A time for each of the scenarios.
  using Times = std::array<std::int64_t, kMost>;
  struct Arrival {
    Times begin;
    Times previous;  // end of its previous work; INT64_MIN: none
  };

  std::size_t count() const { return kMost == 1 ? 1 : count_; }

  Arrival ArrivalOf(NodeId id) const {
    const NodeId previous = graph_->nodes().PreviousOf(id);
    Arrival arrival;
    if (previous == kNoNode) {
      arrival.previous.fill(INT64_MIN);
    } else {
      arrival.previous = (has_overlaps_ ? behind_ : end_)[graph_->SlotOf(previous)];
    }
    Times ready = arrival.previous;
    std::size_t edge = graph_->nodes().FirstEdgeOf(id);
    for (const NodeEdge& of : graph_->EdgesOf(id)) {
      const Times& from = end_[graph_->SlotOf(of.from)];
      for (std::size_t k = 0; k < count(); ++k) {
        if (!scenarios_[k]->IsCut(edge)) ready[k] = std::max(ready[k], from[k] + of.lag_ns);
      }
      ++edge;
    }
    for (std::size_t k = 0; k < count(); ++k)
      arrival.begin[k] = (ready[k] == INT64_MIN ? 0 : ready[k]) + scenarios_[k]->GapOf(id);
    return arrival;
  }

  // The node has arrived, and its duration begins at `begun`; for a member, its transfer.
  void End(NodeId id, const Arrival& arrival, const Times& begun) {
    const bool ends_step = graph_->EndsStep(id);
    const std::uint32_t slot = graph_->SlotOf(id);
    for (std::size_t k = 0; k < count(); ++k) {
      const std::int64_t end = begun[k] + scenarios_[k]->DurationOf(id);
      end_[slot][k] = end;
      if (ends_step) steps_[k].Add(graph_->StepOf(id), end);
      // The successor of an overlapping node waits until the node has begun, and for the previous
      // work.
      if (has_overlaps_)
        behind_[slot][k] =
            scenarios_[k]->Overlaps(id) ? std::max(arrival.begin[k], arrival.previous[k]) : end;
    }
  }

  void Meet(std::span<const NodeId> members) {
    arrivals_.clear();
    Times last;
    last.fill(INT64_MIN);
    for (const NodeId member : members) {
      arrivals_.push_back(ArrivalOf(member));
      for (std::size_t k = 0; k < count(); ++k)
        last[k] = std::max(last[k], arrivals_.back().begin[k]);
    }
    for (std::size_t i = 0; i < members.size(); ++i)
      End(members[i], arrivals_[i], graph_->IsEager(members[i]) ? arrivals_[i].begin : last);
  }

  const JobGraph* graph_;
  std::array<const Scenario*, kMost> scenarios_{};
  std::size_t count_;  // of scenarios
  bool has_overlaps_;
  std::size_t place_ = 0;          // of the order
  std::vector<Times> end_;         // by slot
  std::vector<Times> behind_;      // by slot; empty where nothing overlaps
  std::vector<Arrival> arrivals_;  // of the members of a rendezvous
  std::vector<StepEnds> steps_;    // by scenario
};

}  // namespace rankscope
