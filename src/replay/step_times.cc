#include "replay/step_times.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace rankscope {
namespace {

// A pass over the graph with at most kMost scenarios.
template <std::size_t kMost>
class Pass {
 public:
  Pass(const JobGraph& graph, std::span<const Scenario* const> scenarios)
      : graph_(graph),
        scenarios_(scenarios),
        has_overlaps_(std::any_of(scenarios.begin(), scenarios.end(),
                                  [](const Scenario* of) { return of->HasOverlaps(); })),
        end_(graph.slot_count()),
        behind_(has_overlaps_ ? graph.slot_count() : 0),
        steps_(scenarios.size(), StepEnds(graph)) {}

  std::vector<StepEnds> Run() {
    const std::vector<NodeId>& order = graph_.order();
    for (std::size_t i = 0; i < order.size();) {
      const std::uint32_t rendezvous = graph_.nodes()[order[i]].rendezvous;
      if (rendezvous == kNoRendezvous) {
        const Arrival arrival = ArrivalOf(order[i]);
        End(order[i], arrival, arrival.begin);
        ++i;
      } else {
        const std::size_t count = graph_.meetings()[rendezvous].count;
        Meet(std::span(order).subspan(i, count));
        i += count;
      }
    }
    for (StepEnds& steps : steps_) steps.Finish();
    return std::move(steps_);
  }

 private:
  // A time for each of the scenarios.
  using Times = std::array<std::int64_t, kMost>;
  struct Arrival {
    Times begin;
    Times previous;  // when what it follows lets it begin; INT64_MIN: it follows nothing
  };

  std::size_t count() const { return kMost == 1 ? 1 : scenarios_.size(); }

  Arrival ArrivalOf(NodeId id) const {
    const Node& node = graph_.nodes()[id];
    Arrival arrival;
    if (node.previous == kNoNode) {
      arrival.previous.fill(INT64_MIN);
    } else {
      arrival.previous = (has_overlaps_ ? behind_ : end_)[graph_.SlotOf(node.previous)];
    }
    Times ready = arrival.previous;
    std::size_t edge = node.first_edge;
    for (const NodeEdge& of : graph_.EdgesOf(id)) {
      const Times& from = end_[graph_.SlotOf(of.from)];
      for (std::size_t k = 0; k < count(); ++k) {
        if (!scenarios_[k]->IsCut(edge)) ready[k] = std::max(ready[k], from[k] + of.lag_ns);
      }
      ++edge;
    }
    for (std::size_t k = 0; k < count(); ++k)
      arrival.begin[k] = (ready[k] == INT64_MIN ? 0 : ready[k]) + scenarios_[k]->GapOf(id);
    return arrival;
  }

  // The node has arrived, and what it takes begins at `begun`: of a member its transfer.
  void End(NodeId id, const Arrival& arrival, const Times& begun) {
    const bool ends_step = graph_.EndsStep(id);
    const std::uint32_t slot = graph_.SlotOf(id);
    for (std::size_t k = 0; k < count(); ++k) {
      const std::int64_t end = begun[k] + scenarios_[k]->DurationOf(id);
      end_[slot][k] = end;
      if (ends_step) steps_[k].Add(graph_.StepOf(id), end);
      // What follows an overlapping node waits until that has begun, and for the work before it.
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
      End(members[i], arrivals_[i], graph_.IsEager(members[i]) ? arrivals_[i].begin : last);
  }

  const JobGraph& graph_;
  std::span<const Scenario* const> scenarios_;
  bool has_overlaps_;
  std::vector<Times> end_;         // by slot
  std::vector<Times> behind_;      // by slot; empty where nothing overlaps
  std::vector<Arrival> arrivals_;  // of the members of a rendezvous
  std::vector<StepEnds> steps_;    // by scenario
};

}  // namespace

std::vector<StepEnds> StepTimesOf(const JobGraph& graph,
                                  std::span<const Scenario* const> scenarios) {
  std::vector<StepEnds> all;
  while (!scenarios.empty()) {
    const auto now = scenarios.first(std::min(scenarios.size(), kScenariosPerPass));
    scenarios = scenarios.subspan(now.size());
    std::vector<StepEnds> steps =
        now.size() == 1 ? Pass<1>(graph, now).Run() : Pass<kScenariosPerPass>(graph, now).Run();
    std::move(steps.begin(), steps.end(), std::back_inserter(all));
  }
  return all;
}

StepEnds StepTimesOf(const Scenario& scenario) {
  const Scenario* const one = &scenario;
  return std::move(StepTimesOf(scenario.graph(), {&one, 1}).front());
}

}  // namespace rankscope
