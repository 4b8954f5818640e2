#include "replay/scenario.h"

#include <algorithm>

#include "replay/replay_nodes.h"

namespace rankscope {

namespace {

void AddFlags(const std::vector<std::uint8_t>& more, std::vector<std::uint8_t>& flags) {
  if (flags.empty()) {
    flags = more;
    return;
  }
  for (std::size_t i = 0; i < more.size(); ++i) flags[i] |= more[i];
}

}  // namespace

void Scenario::Apply(const Scenario& other) {
  const std::size_t count = graph_->nodes().size();
  const auto take = [&](const ChangedValues<std::int64_t>& theirs, const auto& recorded_of,
                        const auto& mine_of) {
    theirs.ForEachPage([&](std::size_t first, std::span<const std::int64_t> values) {
      for (std::size_t i = 0; i < values.size() && first + i < count; ++i) {
        const std::int64_t recorded = recorded_of(first + i);
        if (values[i] == recorded) continue;
        std::int64_t& mine = mine_of(first + i);
        mine = mine == recorded ? values[i] : std::min(mine, values[i]);
      }
    });
  };
  take(
      other.duration_, [&](std::size_t node) { return RecordedDuration(node); },
      [&](std::size_t node) -> std::int64_t& { return Duration(node); });
  take(
      other.gap_, [&](std::size_t node) { return RecordedGap(node); },
      [&](std::size_t node) -> std::int64_t& { return Gap(node); });
  AddFlags(other.overlaps_, overlaps_);
  AddFlags(other.is_cut_, is_cut_);
  other.factor_.ForEachPage([&](std::size_t first, std::span<const float> values) {
    for (std::size_t i = 0; i < values.size() && first + i < count; ++i) {
      if (values[i] != 1) Scale(static_cast<NodeId>(first + i), values[i]);
    }
  });
}

namespace {

// Times of all nodes.
struct AllTimes {
  std::vector<std::int64_t>& begin;
  std::vector<std::int64_t>& end;

  std::int64_t BeginOf(NodeId node) const { return begin[node]; }
  std::int64_t EndOf(NodeId node) const { return end[node]; }
  void SetBegin(NodeId node, std::int64_t ns) { begin[node] = ns; }
  void SetEnd(NodeId node, std::int64_t ns) { end[node] = ns; }
};

}  // namespace

Replay::Replay(const Scenario& scenario) : graph_(scenario.graph()) { Run(scenario); }

void Replay::Run(const Scenario& scenario) {
  RS_CHECK(&scenario.graph() == &graph_, "a replay is of one graph");
  begin_.resize(graph_.nodes().size());
  end_.resize(graph_.nodes().size());
  step_end_.assign(graph_.steps().size(), INT64_MIN);
  step_last_.assign(graph_.steps().size(), kNoNode);
  const std::vector<NodeId>& order = graph_.order();
  ReplayNodes(graph_, scenario, 0, order.size(), AllTimes{begin_, end_});
  for (const NodeId id : order) {
    if (!graph_.EndsStep(id)) continue;
    const std::uint32_t step = graph_.StepOf(id);
    if (end_[id] <= step_end_[step]) continue;
    step_end_[step] = end_[id];
    step_last_[step] = id;
  }
  // A step whose work all ran behind that of the step before takes no time of its own.
  for (std::size_t step = 1; step < step_end_.size(); ++step) {
    if (graph_.steps()[step].follows_recorded && step_end_[step] != INT64_MIN)
      step_end_[step] = std::max(step_end_[step], step_end_[step - 1]);
  }
}

std::int64_t Replay::StepBegin(std::size_t step) const {
  const JobGraph::Step& of = graph_.steps()[step];
  if (of.follows_recorded && step_end_[step - 1] != INT64_MIN) return step_end_[step - 1];
  return std::min(of.recorded_begin_ns, step_end_[step]);
}

double Replay::MeanStep() const {
  double sum = 0;
  const std::vector<std::size_t>& counted = CountedSteps(graph_);
  for (const std::size_t step : counted) sum += static_cast<double>(StepTime(step));
  return counted.empty() ? 0 : sum / static_cast<double>(counted.size());
}

}  // namespace rankscope
