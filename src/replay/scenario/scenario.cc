#include "replay/scenario/scenario.h"

#include <algorithm>
#include <span>

#include "base/spilled_pages.h"

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
  // The shorter of both, where both change it.
  const auto of_both = [](std::int64_t mine, std::int64_t theirs, std::int64_t recorded) {
    return mine == recorded ? theirs : std::min(mine, theirs);
  };
  other.duration_.ForEach(count, [&](std::size_t i, std::int64_t theirs) {
    const auto node = static_cast<NodeId>(i);
    const std::int64_t recorded = RecordedDuration(i);
    if (theirs != recorded)
      SetDuration(node, of_both(duration_.Read(i, recorded), theirs, recorded));
  });
  other.gap_.ForEach(count, [&](std::size_t i, std::int64_t theirs) {
    const auto node = static_cast<NodeId>(i);
    const std::int64_t recorded = RecordedGap(i);
    if (theirs != recorded) SetGap(node, of_both(gap_.Read(i, recorded), theirs, recorded));
  });
  AddFlags(other.takes_no_time_, takes_no_time_);
  AddFlags(other.overlaps_, overlaps_);
  AddFlags(other.is_cut_, is_cut_);
  other.factor_.ForEachPage([&](std::size_t first, std::span<const float> values) {
    for (std::size_t i = 0; i < values.size() && first + i < count; ++i) {
      if (values[i] != 1) Scale(static_cast<NodeId>(first + i), values[i]);
    }
  });
}

Replay::Replay(const Scenario& scenario)
    : graph_(scenario.graph()),
      begin_(graph_.nodes().size()),
      end_(graph_.nodes().size()),
      steps_(graph_) {
  const std::span<const NodeId> order = graph_.order();
  std::size_t look = 0;
  for (std::size_t i = 0; i < order.size();) {
    if (++look % 256 == 0) KeepSpilledSmall();
    const std::uint32_t rendezvous = graph_.nodes().RendezvousOf(order[i]);
    const std::size_t count = rendezvous == kNoRendezvous ? 1 : graph_.meetings()[rendezvous].count;
    const std::span<const NodeId> together = std::span(order).subspan(i, count);
    std::int64_t last = INT64_MIN;
    for (const NodeId node : together) {
      const std::int64_t begin = BeginIn(scenario, node);
      begin_.Set(node, begin);
      last = std::max(last, begin);
    }
    for (const NodeId node : together) {
      const std::int64_t begun = graph_.IsEager(node) ? begin_[node] : last;
      const std::int64_t end = begun + scenario.DurationOf(node);
      end_.Set(node, end);
      if (graph_.EndsStep(node)) steps_.Add(graph_.StepOf(node), end, node);
    }
    i += count;
  }
  steps_.Finish();
}

std::int64_t Replay::BeginIn(const Scenario& scenario, NodeId id) const {
  std::int64_t ready = INT64_MIN;
  // What overlaps is passed over, down to the work before it.
  NodeId previous = graph_.nodes().PreviousOf(id);
  while (previous != kNoNode && scenario.Overlaps(previous)) {
    ready = std::max(ready, begin_[previous]);
    previous = graph_.nodes().PreviousOf(previous);
  }
  if (previous != kNoNode) ready = std::max(ready, end_[previous]);
  std::size_t edge = graph_.nodes().FirstEdgeOf(id);
  for (const NodeEdge& of : graph_.EdgesOf(id)) {
    if (!scenario.IsCut(edge++)) ready = std::max(ready, end_[of.from] + of.lag_ns);
  }
  return (ready == INT64_MIN ? 0 : ready) + scenario.GapOf(id);
}

}  // namespace rankscope
