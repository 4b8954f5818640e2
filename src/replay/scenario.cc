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
  AddFlags(other.takes_no_time_, takes_no_time_);
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

Replay::Replay(const Scenario& scenario)
    : graph_(scenario.graph()),
      begin_(graph_.nodes().size()),
      end_(graph_.nodes().size()),
      steps_(graph_) {
  const std::vector<NodeId>& order = graph_.order();
  ReplayNodes(graph_, scenario, 0, order.size(), AllTimes{begin_, end_});
  for (const NodeId id : order) {
    if (graph_.EndsStep(id)) steps_.Add(graph_.StepOf(id), end_[id], id);
  }
  steps_.Finish();
}

}  // namespace rankscope
