#include "replay/typical.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/median.h"
#include "replay/alike_nodes.h"
#include "replay/scenario.h"

namespace rankscope {
namespace {

// Kinds are few: multiplied by an odd constant they do not meet with places.
constexpr std::uint64_t kKindFactor = 0x9E3779B97F4A7C15ULL;

std::int64_t QuantileOf(std::vector<std::int64_t>& values, double q) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Typical Unknown(const JobGraph& graph) {
  Typical typical;
  typical.duration_ns.assign(graph.nodes().size(), Typical::kUnknown);
  typical.gap_ns.assign(graph.nodes().size(), 0);
  return typical;
}

std::uint64_t KindKey(const JobGraph& graph, NodeId node) {
  return (graph.nodes()[node].kind + 1) * kKindFactor;
}

std::vector<bool> AreCounted(const JobGraph& graph) {
  std::vector<bool> counted(graph.steps().size(), false);
  for (const std::size_t step : CountedSteps(graph)) counted[step] = true;
  return counted;
}

}  // namespace

void ForEachPlaceOfPeers(
    const JobGraph& graph, const Peers& peers, Alike alike,
    const std::function<void(std::span<const NodeId> nodes, std::size_t rank_steps)>& visit) {
  const std::vector<bool> counted = AreCounted(graph);
  std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> rank_steps(peers.of.size());
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    std::uint32_t before = kNoStep;
    for (NodeId node = capture.first; node < capture.last; ++node) {
      const std::uint32_t step = graph.StepOf(node);
      if (step == before || step == kNoStep || !counted[step]) continue;
      rank_steps[peers.group_of[capture.rank]].emplace(capture.rank, step);
      before = step;
    }
  }
  const std::vector<KeyedNode> sorted =
      SortedByKey(graph, [&](NodeId node, std::uint32_t rank, std::uint64_t& key) {
        const std::uint32_t step = graph.StepOf(node);
        if (step == kNoStep || !counted[step]) return false;
        key = graph.PlaceOf(node) ^ KeyOfGroup(peers.group_of[rank]);
        if (alike == Alike::kPlaceAndShape) key ^= KindKey(graph, node);
        return true;
      });
  std::vector<NodeId> nodes;
  ForEachKey(sorted, [&](std::span<const KeyedNode> alikes) {
    nodes.clear();
    for (const KeyedNode& one : alikes) nodes.push_back(one.node);
    visit(nodes, rank_steps[peers.group_of[graph.RankOf(nodes.front())]].size());
  });
}

Typical TypicalOfPeers(const JobGraph& graph, const Peers& peers, Alike alike) {
  Typical typical = Unknown(graph);
  std::vector<std::int64_t> durations, gaps;
  ForEachPlaceOfPeers(graph, peers, alike, [&](std::span<const NodeId> nodes, std::size_t) {
    if (nodes.size() < 2) return;
    durations.clear();
    gaps.clear();
    for (const NodeId node : nodes) {
      durations.push_back(graph.nodes()[node].duration_ns);
      gaps.push_back(graph.nodes()[node].gap_ns);
    }
    const bool are_two = peers.SizeFor(graph.RankOf(nodes.front())) == 2;
    const std::int64_t duration = are_two ? QuantileOf(durations, 0.25) : MedianOf(durations);
    const std::int64_t gap = are_two ? QuantileOf(gaps, 0.25) : MedianOf(gaps);
    for (const NodeId node : nodes) {
      typical.duration_ns[node] = duration;
      typical.gap_ns[node] = gap;
    }
  });
  return typical;
}

Typical TypicalOfOtherSteps(const JobGraph& graph) {
  const std::vector<bool> counted = AreCounted(graph);
  const std::vector<KeyedNode> sorted =
      SortedByKey(graph, [&](NodeId node, std::uint32_t rank, std::uint64_t& key) {
        const std::uint32_t step = graph.StepOf(node);
        if (step == kNoStep || !counted[step]) return false;
        key = graph.PlaceOf(node) ^ KeyOfGroup(rank);
        // Shapes are known of device work.
        if (IsDevice(graph.KindOf(node).work)) key ^= KindKey(graph, node);
        return true;
      });
  Typical typical = Unknown(graph);
  std::vector<std::int64_t> durations, gaps;
  ForEachKey(sorted, [&](std::span<const KeyedNode> alikes) {
    if (alikes.size() < 2) return;
    durations.clear();
    gaps.clear();
    for (const KeyedNode& one : alikes) {
      durations.push_back(graph.nodes()[one.node].duration_ns);
      gaps.push_back(graph.nodes()[one.node].gap_ns);
    }
    std::sort(durations.begin(), durations.end());
    std::sort(gaps.begin(), gaps.end());
    for (const KeyedNode& one : alikes) {
      typical.duration_ns[one.node] =
          MiddleWithout<std::int64_t>(durations, graph.nodes()[one.node].duration_ns);
      typical.gap_ns[one.node] = MiddleWithout<std::int64_t>(gaps, graph.nodes()[one.node].gap_ns);
    }
  });
  return typical;
}

}  // namespace rankscope
