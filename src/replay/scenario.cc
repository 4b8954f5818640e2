#include "replay/scenario.h"

#include <algorithm>

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

Replay::Replay(const Scenario& scenario)
    : graph_(scenario.graph()),
      begin_(graph_.nodes().size()),
      end_(graph_.nodes().size()),
      step_end_(graph_.steps().size(), INT64_MIN),
      step_last_(graph_.steps().size(), kNoNode) {
  const std::span<const Node> nodes = graph_.nodes();
  const std::vector<NodeId>& order = graph_.order();
  const auto begin_of = [&](NodeId id) {
    const Node& node = nodes[id];
    std::int64_t ready = INT64_MIN;
    // What overlaps is passed over, down to the work before it.
    NodeId previous = node.previous;
    while (previous != kNoNode && scenario.overlaps_[previous] != 0) {
      ready = std::max(ready, begin_[previous]);
      previous = nodes[previous].previous;
    }
    if (previous != kNoNode) ready = std::max(ready, end_[previous]);
    const std::span<const NodeEdge> edges = graph_.EdgesOf(id);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (scenario.is_cut_[node.first_edge + i] == 0)
        ready = std::max(ready, end_[edges[i].from] + edges[i].lag_ns);
    }
    return (ready == INT64_MIN ? 0 : ready) + scenario.gap_[id];
  };
  for (std::size_t i = 0; i < order.size();) {
    const NodeId id = order[i];
    const std::uint32_t rendezvous = nodes[id].rendezvous;
    if (rendezvous == kNoRendezvous) {
      begin_[id] = begin_of(id);
      end_[id] = begin_[id] + scenario.DurationOf(id);
      ++i;
      continue;
    }
    const std::size_t count = graph_.meetings()[rendezvous].count;
    std::int64_t last = INT64_MIN;
    for (std::size_t k = i; k < i + count; ++k) {
      begin_[order[k]] = begin_of(order[k]);
      last = std::max(last, begin_[order[k]]);
    }
    for (std::size_t k = i; k < i + count; ++k) {
      const std::int64_t from = graph_.IsEager(order[k]) ? begin_[order[k]] : last;
      end_[order[k]] = from + scenario.DurationOf(order[k]);
    }
    i += count;
  }
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
  const std::vector<std::size_t> counted = CountedSteps(graph_);
  for (const std::size_t step : counted) sum += static_cast<double>(StepTime(step));
  return counted.empty() ? 0 : sum / static_cast<double>(counted.size());
}

std::vector<std::size_t> CountedSteps(const JobGraph& graph) {
  std::vector<bool> has_end(graph.steps().size(), false);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.EndsStep(node)) has_end[graph.StepOf(node)] = true;
  }
  std::vector<std::size_t> complete, all;
  for (std::size_t step = 0; step < graph.steps().size(); ++step) {
    const bool begins = !graph.steps()[step].follows_recorded || (step > 0 && has_end[step - 1]);
    if (!has_end[step] || !begins) continue;
    all.push_back(step);
    if (graph.steps()[step].complete) complete.push_back(step);
  }
  return complete.empty() ? all : complete;
}

}  // namespace rankscope
