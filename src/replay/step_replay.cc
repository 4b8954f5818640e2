#include "replay/step_replay.h"

#include <algorithm>

#include "replay/replay_nodes.h"

namespace rankscope {

// Times of a stretch of the order, and before it as recorded.
class StepReplay::Times {
 public:
  Times(StepReplay& of, std::size_t first) : of_(of), first_(first) {}

  std::int64_t BeginOf(NodeId node) const {
    const std::size_t place = of_.place_of_[node];
    return place < first_ ? of_.recorded_.BeginOf(node) : of_.begin_[place - first_];
  }
  std::int64_t EndOf(NodeId node) const {
    const std::size_t place = of_.place_of_[node];
    return place < first_ ? of_.recorded_.EndOf(node) : of_.end_[place - first_];
  }
  void SetBegin(NodeId node, std::int64_t ns) { of_.begin_[of_.place_of_[node] - first_] = ns; }
  void SetEnd(NodeId node, std::int64_t ns) { of_.end_[of_.place_of_[node] - first_] = ns; }

 private:
  StepReplay& of_;
  std::size_t first_;
};

StepReplay::StepReplay(const JobGraph& graph, const Replay& recorded)
    : graph_(graph),
      recorded_(recorded),
      place_of_(graph.nodes().size()),
      stretches_(graph.steps().size()),
      ends_of_(graph.steps().size()) {
  for (const JobGraph::Meeting& meeting : graph.meetings())
    most_members_ = std::max<std::size_t>(most_members_, meeting.count);
  const std::vector<NodeId>& order = graph.order();
  for (std::size_t place = 0; place < order.size(); ++place) {
    place_of_[order[place]] = static_cast<std::uint32_t>(place);
    const std::uint32_t step = graph.StepOf(order[place]);
    if (step == kNoStep) continue;
    Stretch& stretch = stretches_[step];
    stretch.begin = std::min(stretch.begin, place);
    if (!graph.EndsStep(order[place])) continue;
    stretch.end = place + 1;
    ends_of_[step].push_back(order[place]);
  }
  std::size_t end = 0;
  for (Stretch& stretch : stretches_) {
    end = std::max(end, stretch.end);
    stretch.end = end;
    // Members of a rendezvous are gone through together.
    while (stretch.begin != SIZE_MAX && stretch.begin > 0) {
      const std::uint32_t meeting = graph.nodes()[order[stretch.begin]].rendezvous;
      if (meeting == kNoRendezvous || graph.nodes()[order[stretch.begin - 1]].rendezvous != meeting)
        break;
      --stretch.begin;
    }
  }
}

std::int64_t StepReplay::StepTime(const Scenario& scenario, std::size_t step) {
  const Stretch stretch = stretches_[step];
  if (stretch.begin >= stretch.end) return recorded_.StepTime(step);
  begin_.resize(stretch.end - stretch.begin + most_members_);
  end_.resize(begin_.size());
  Times times(*this, stretch.begin);
  const std::size_t gone_to = ReplayNodes(graph_, scenario, stretch.begin, stretch.end, times);
  const std::vector<NodeId>& order = graph_.order();
  // Steps before it may end with work of the stretch, too.
  std::size_t first = step;
  for (std::size_t place = stretch.begin; place < gone_to; ++place) {
    if (graph_.EndsStep(order[place]))
      first = std::min<std::size_t>(first, graph_.StepOf(order[place]));
  }
  const auto end_of = [&](std::size_t of) {
    std::int64_t end = INT64_MIN;
    for (const NodeId node : ends_of_[of]) end = std::max(end, times.EndOf(node));
    return end;
  };
  const auto& steps = graph_.steps();
  std::int64_t before = first > 0 ? recorded_.StepEnd(first - 1) : INT64_MIN;
  std::int64_t end = INT64_MIN;
  for (std::size_t of = first; of <= step; ++of) {
    if (of > first) before = end;
    end = end_of(of);
    if (of > 0 && steps[of].follows_recorded && end != INT64_MIN) end = std::max(end, before);
  }
  const std::int64_t begin = steps[step].follows_recorded && before != INT64_MIN
                                 ? before
                                 : std::min(steps[step].recorded_begin_ns, end);
  return end - begin;
}

}  // namespace rankscope
