#include "replay/scenario.h"

#include <algorithm>

#include "replay/replay_nodes.h"

namespace rankscope {

Scenario::Scenario(const JobGraph& graph) : graph_(&graph) {
  duration_.reserve(graph.nodes().size());
  gap_.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    duration_.push_back(node.duration_ns);
    gap_.push_back(node.gap_ns);
  }
  is_cut_.assign(graph.edge_count(), 0);
  overlaps_.assign(graph.nodes().size(), 0);
}

void Scenario::Apply(const Scenario& other) {
  for (NodeId node = 0; node < duration_.size(); ++node) {
    const Node& recorded = graph_->nodes()[node];
    const auto take = [](std::int64_t& mine, std::int64_t theirs, std::int64_t as_recorded) {
      if (theirs != as_recorded) mine = mine == as_recorded ? theirs : std::min(mine, theirs);
    };
    take(duration_[node], other.duration_[node], recorded.duration_ns);
    take(gap_[node], other.gap_[node], recorded.gap_ns);
    overlaps_[node] |= other.overlaps_[node];
  }
  for (std::size_t edge = 0; edge < is_cut_.size(); ++edge) is_cut_[edge] |= other.is_cut_[edge];
  for (NodeId node = 0; node < other.factor_.size(); ++node) Scale(node, other.factor_[node]);
}

std::size_t ReplayNodes(const JobGraph& graph, const Scenario& scenario, std::size_t from,
                        std::size_t to, std::vector<std::int64_t>& begin,
                        std::vector<std::int64_t>& end) {
  const std::span<const Node> nodes = graph.nodes();
  const std::vector<NodeId>& order = graph.order();
  const auto begin_of = [&](NodeId id) {
    const Node& node = nodes[id];
    std::int64_t ready = INT64_MIN;
    // What overlaps is passed over, down to the work before it.
    NodeId previous = node.previous;
    while (previous != kNoNode && scenario.Overlaps(previous)) {
      ready = std::max(ready, begin[previous]);
      previous = nodes[previous].previous;
    }
    if (previous != kNoNode) ready = std::max(ready, end[previous]);
    const std::span<const NodeEdge> edges = graph.EdgesOf(id);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!scenario.IsCut(node.first_edge + i))
        ready = std::max(ready, end[edges[i].from] + edges[i].lag_ns);
    }
    return (ready == INT64_MIN ? 0 : ready) + scenario.GapOf(id);
  };
  std::size_t i = from;
  while (i < to) {
    const NodeId id = order[i];
    const std::uint32_t rendezvous = nodes[id].rendezvous;
    if (rendezvous == kNoRendezvous) {
      begin[id] = begin_of(id);
      end[id] = begin[id] + scenario.DurationOf(id);
      ++i;
      continue;
    }
    const std::size_t count = graph.meetings()[rendezvous].count;
    std::int64_t last = INT64_MIN;
    for (std::size_t k = i; k < i + count; ++k) {
      begin[order[k]] = begin_of(order[k]);
      last = std::max(last, begin[order[k]]);
    }
    for (std::size_t k = i; k < i + count; ++k) {
      const std::int64_t begun = graph.IsEager(order[k]) ? begin[order[k]] : last;
      end[order[k]] = begun + scenario.DurationOf(order[k]);
    }
    i += count;
  }
  return i;
}

Replay::Replay(const Scenario& scenario) : graph_(scenario.graph()) { Run(scenario); }

void Replay::Run(const Scenario& scenario) {
  RS_CHECK(&scenario.graph() == &graph_, "a replay is of one graph");
  begin_.resize(graph_.nodes().size());
  end_.resize(graph_.nodes().size());
  step_end_.assign(graph_.steps().size(), INT64_MIN);
  step_last_.assign(graph_.steps().size(), kNoNode);
  const std::vector<NodeId>& order = graph_.order();
  ReplayNodes(graph_, scenario, 0, order.size(), begin_, end_);
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
