#include "replay/typical.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/median.h"
#include "replay/scenario.h"

namespace rankscope {
namespace {

struct Entry {
  std::uint64_t group = 0;
  std::uint64_t place = 0;
  NodeId node = 0;
};

std::vector<Entry> Sorted(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.place != b.place ? a.place < b.place : a.node < b.node;
  });
  return entries;
}

// Calls visit(entries) for those of one group and place.
template <typename Visit>
void ForEachPlace(const std::vector<Entry>& entries, const Visit& visit) {
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i + 1;
    while (end < entries.size() && entries[end].group == entries[i].group &&
           entries[end].place == entries[i].place)
      ++end;
    visit(std::span(entries).subspan(i, end - i));
    i = end;
  }
}

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

// Of device work, whose kinds tell shapes. Kinds are few: multiplied by an odd constant they do not
// meet with places.
std::uint64_t ShapeKey(const JobGraph& graph, NodeId node) {
  return IsDevice(graph.KindOf(node).work) ? (graph.nodes()[node].kind + 1) * 0x9E3779B97F4A7C15ULL
                                           : 0;
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
  std::vector<Entry> entries;
  std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> rank_steps(peers.of.size());
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    std::uint32_t before = kNoStep;
    for (NodeId node = capture.first; node < capture.last; ++node) {
      const std::uint32_t step = graph.StepOf(node);
      if (step == kNoStep || !counted[step]) continue;
      // Kinds are few: multiplied by an odd constant they do not meet with places.
      const std::uint64_t shape =
          alike == Alike::kPlace ? 0 : (graph.nodes()[node].kind + 1) * 0x9E3779B97F4A7C15ULL;
      entries.push_back({peers.group_of[capture.rank], graph.PlaceOf(node) ^ shape, node});
      if (step != before) rank_steps[peers.group_of[capture.rank]].emplace(capture.rank, step);
      before = step;
    }
  }
  std::vector<NodeId> nodes;
  ForEachPlace(Sorted(std::move(entries)), [&](std::span<const Entry> alikes) {
    nodes.clear();
    for (const Entry& entry : alikes) nodes.push_back(entry.node);
    visit(nodes, rank_steps[alikes.front().group].size());
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

Typical TypicalOfOtherSteps(const JobGraph& graph, std::size_t step) {
  const std::vector<bool> counted = AreCounted(graph);
  std::vector<Entry> entries;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    for (NodeId node = capture.first; node < capture.last; ++node) {
      const std::uint32_t of = graph.StepOf(node);
      if (of != kNoStep && (counted[of] || of == step))
        entries.push_back({capture.rank, graph.PlaceOf(node) ^ ShapeKey(graph, node), node});
    }
  }
  Typical typical = Unknown(graph);
  std::vector<std::int64_t> durations, gaps;
  ForEachPlace(Sorted(std::move(entries)), [&](std::span<const Entry> alikes) {
    durations.clear();
    gaps.clear();
    for (const Entry& entry : alikes) {
      if (graph.StepOf(entry.node) == step) continue;
      durations.push_back(graph.nodes()[entry.node].duration_ns);
      gaps.push_back(graph.nodes()[entry.node].gap_ns);
    }
    if (durations.empty()) return;
    const std::int64_t duration = MedianOf(durations);
    const std::int64_t gap = MedianOf(gaps);
    for (const Entry& entry : alikes) {
      if (graph.StepOf(entry.node) != step) continue;
      typical.duration_ns[entry.node] = duration;
      typical.gap_ns[entry.node] = gap;
    }
  });
  return typical;
}

}  // namespace rankscope
