#include "replay/typical.h"

#include <algorithm>
#include <utility>

#include "base/median.h"
#include "replay/scenario.h"

namespace rankscope {
namespace {

std::int64_t QuantileOf(std::vector<std::int64_t>& values, double q) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Nodes with their ranks, put together by rank.
class ByRank {
 public:
  explicit ByRank(const JobGraph& graph) : graph_(graph) {}

  void Clear() { nodes_.clear(); }

  // `nodes` ascend.
  template <typename Takes>
  void Add(std::span<const NodeId> nodes, const Takes& takes) {
    auto capture = graph_.captures().begin();
    for (const NodeId node : nodes) {
      if (!takes(node)) continue;
      if (node >= capture->last)
        capture =
            std::partition_point(capture, graph_.captures().end(),
                                 [&](const JobGraph::CaptureNodes& of) { return of.last <= node; });
      nodes_.emplace_back(capture->rank, node);
    }
  }

  // Calls visit(nodes) for those of each rank.
  template <typename Visit>
  void ForEachRank(const Visit& visit) {
    if (!std::is_sorted(nodes_.begin(), nodes_.end())) std::sort(nodes_.begin(), nodes_.end());
    for (auto first = nodes_.begin(); first != nodes_.end();) {
      const auto last = std::find_if(
          first, nodes_.end(), [&](const auto& other) { return other.first != first->first; });
      visit(std::span(first, last));
      first = last;
    }
  }

 private:
  const JobGraph& graph_;
  std::vector<std::pair<std::uint32_t, NodeId>> nodes_;  // rank, node
};

}  // namespace

std::vector<bool> AreCounted(const JobGraph& graph) {
  std::vector<bool> counted(graph.steps().size(), false);
  for (const std::size_t step : CountedSteps(graph)) counted[step] = true;
  return counted;
}

std::vector<std::size_t> RankStepsOf(const JobGraph& graph, const Peers& peers) {
  const std::vector<bool> counted = AreCounted(graph);
  std::vector<std::size_t> steps(peers.of.size(), 0);
  std::vector<bool> seen(peers.group_of.size() * graph.steps().size(), false);
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    for (NodeId node = capture.first; node < capture.last; ++node) {
      const std::uint32_t step = graph.StepOf(node);
      if (step == kNoStep || !counted[step]) continue;
      auto has_step = seen[capture.rank * graph.steps().size() + step];
      if (!has_step) ++steps[peers.group_of[capture.rank]];
      has_step = true;
    }
  }
  return steps;
}

Typical::Typical(const JobGraph& graph, const Peers& peers, const Places& places, Alike alike)
    : graph_(&graph), places_(&places), alike_(alike), is_counted_(AreCounted(graph)) {
  const std::uint32_t rows = alike == Alike::kPlace ? places.place_count() : places.work_count();
  duration_ns_.assign(rows, kUnknown);
  gap_ns_.assign(rows, 0);
  std::vector<std::int64_t> durations, gaps;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::span<const NodeId> nodes =
        alike == Alike::kPlace ? places.NodesOf(row) : places.NodesOfWork(row);
    durations.clear();
    gaps.clear();
    for (const NodeId node : nodes) {
      if (!is_counted_[graph.StepOf(node)]) continue;
      durations.push_back(graph.nodes()[node].duration_ns);
      gaps.push_back(graph.nodes()[node].gap_ns);
    }
    if (durations.size() < 2) continue;
    const bool are_two = peers.SizeFor(graph.RankOf(nodes.front())) == 2;
    duration_ns_[row] = are_two ? QuantileOf(durations, 0.25) : MedianOf(durations);
    gap_ns_[row] = are_two ? QuantileOf(gaps, 0.25) : MedianOf(gaps);
  }
}

void ForEachOfOtherSteps(const JobGraph& graph, const Places& places,
                         const std::function<void(NodeId, std::int64_t, std::int64_t)>& visit) {
  const std::vector<bool> counted = AreCounted(graph);
  std::vector<std::int64_t> durations, gaps;
  const auto set = [&](std::span<const std::pair<std::uint32_t, NodeId>> alike) {
    if (alike.size() < 2) return;
    durations.clear();
    gaps.clear();
    for (const auto& [rank, node] : alike) {
      durations.push_back(graph.nodes()[node].duration_ns);
      gaps.push_back(graph.nodes()[node].gap_ns);
    }
    std::sort(durations.begin(), durations.end());
    std::sort(gaps.begin(), gaps.end());
    for (const auto& [rank, node] : alike)
      visit(node, MiddleWithout<std::int64_t>(durations, graph.nodes()[node].duration_ns),
            MiddleWithout<std::int64_t>(gaps, graph.nodes()[node].gap_ns));
  };
  ByRank by_rank(graph);
  const auto is_counted = [&](NodeId node) { return counted[graph.StepOf(node)]; };
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    by_rank.Clear();
    for (std::uint32_t work = places.FirstWork(place); work < places.FirstWork(place + 1); ++work) {
      const std::span<const NodeId> nodes = places.NodesOfWork(work);
      by_rank.Add(nodes, is_counted);
      // Shapes are known of device work.
      if (!IsDevice(graph.KindOf(nodes.front()).work)) continue;
      by_rank.ForEachRank(set);
      by_rank.Clear();
    }
    by_rank.ForEachRank(set);
  }
}

}  // namespace rankscope
