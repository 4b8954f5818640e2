#include "replay/scenario/step_replay.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "replay/scenario/step_pass.h"

namespace rankscope {
namespace {

// The scenario, where it is about nodes of one step; of no step it is the recording.
class OfStep {
 public:
  OfStep(const Scenario& scenario, std::size_t step)
      : scenario_(scenario), graph_(scenario.graph()), step_(step) {}

  std::int64_t DurationOf(NodeId node) const {
    return graph_.StepOf(node) == step_ ? scenario_.DurationOf(node)
                                        : graph_.nodes().DurationOf(node);
  }
  std::int64_t GapOf(NodeId node) const {
    return graph_.StepOf(node) == step_ ? scenario_.GapOf(node) : graph_.nodes().GapOf(node);
  }
  static bool IsCut(std::size_t) { return false; }
  static bool HasOverlaps() { return false; }
  static bool Overlaps(NodeId) { return false; }

 private:
  const Scenario& scenario_;
  const JobGraph& graph_;
  std::size_t step_;
};
using PassOfOne = StepPass<1, OfStep>;

// Places of the graph's order.
struct Stretch {
  std::size_t begin = SIZE_MAX;
  std::size_t end = 0;
};

// By step: from its first node to the last that ends it or a step before it.
std::vector<Stretch> StretchesOf(const JobGraph& graph) {
  std::vector<Stretch> stretches(graph.steps().size());
  const std::span<const NodeId> order = graph.order();
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::uint32_t step = graph.StepOf(order[place]);
    if (step == kNoStep) continue;
    stretches[step].begin = std::min(stretches[step].begin, place);
    if (graph.EndsStep(order[place])) stretches[step].end = place + 1;
  }
  const auto meeting_at = [&](std::size_t place) {
    return graph.nodes().RendezvousOf(order[place]);
  };
  std::size_t end = 0;
  for (Stretch& stretch : stretches) {
    end = std::max(end, stretch.end);
    stretch.end = end;
    if (stretch.begin == SIZE_MAX || meeting_at(stretch.begin) == kNoRendezvous) continue;
    // Members of a rendezvous are gone through together.
    while (stretch.begin > 0 && meeting_at(stretch.begin - 1) == meeting_at(stretch.begin))
      --stretch.begin;
  }
  return stretches;
}

}  // namespace

std::vector<std::int64_t> TimesOfStepsAlone(const Scenario& scenario,
                                            std::span<const std::size_t> steps, int threads) {
  const JobGraph& graph = scenario.graph();
  const std::vector<Stretch> stretches = StretchesOf(graph);
  // What runs beside the steps, such as data loading, may let a later step begin first.
  std::vector<std::size_t> by_begin(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) by_begin[i] = i;
  std::sort(by_begin.begin(), by_begin.end(), [&](std::size_t a, std::size_t b) {
    return stretches[steps[a]].begin < stretches[steps[b]].begin;
  });
  std::vector<std::int64_t> times(steps.size());
  const OfStep as_recorded(scenario, graph.steps().size());
  const OfStep* const recorded = &as_recorded;
  PassOfOne pass(graph, {&recorded, 1});
  // Passes branch off one after the other; what each does alone, it does beside the others. A few
  // at a time: each is as large as all slots.
  const auto at_once = static_cast<std::size_t>(std::max(threads, 1));
  for (std::size_t first = 0; first < by_begin.size(); first += at_once) {
    const std::size_t count = std::min(at_once, by_begin.size() - first);
    std::vector<OfStep> changed;
    std::vector<PassOfOne> alone;
    for (const std::size_t i : std::span(by_begin).subspan(first, count)) {
      const Stretch& stretch = stretches[steps[i]];
      pass.RunTo(std::min(stretch.begin, stretch.end));
      changed.emplace_back(scenario, steps[i]);
      alone.push_back(pass);
    }
    ParallelFor(count, threads, [&](std::size_t k) {
      const std::size_t i = by_begin[first + k];
      alone[k].GoOnAs(changed[k]);
      alone[k].RunTo(stretches[steps[i]].end);
      times[i] = alone[k].Take().front().Time(steps[i]);
    });
  }
  return times;
}

}  // namespace rankscope
