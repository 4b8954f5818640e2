#include "replay/typical.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/median.h"
#include "base/parallel.h"
#include "base/spilled_pages.h"
#include "replay/scenario.h"

namespace rankscope {
namespace {

std::int64_t QuantileOf(std::vector<std::int64_t>& values, double q) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Works whose nodes are compared on one rank: a work of a device is alone, since shapes are known
// of device work; what hosts do is compared by its place. By work, numbered from 0.
std::vector<std::uint32_t> ComparedWorks(const JobGraph& graph, const Places& places) {
  std::vector<std::uint32_t> numbers(places.work_count());
  std::uint32_t number = 0;
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    for (std::uint32_t work = places.FirstWork(place); work < places.FirstWork(place + 1); ++work) {
      numbers[work] = number;
      if (IsDevice(graph.KindOf(places.NodesOfWork(work).front()).work)) ++number;
    }
    ++number;
  }
  return numbers;
}

// Indexes of captures, those of a rank together.
std::vector<std::vector<std::size_t>> CapturesByRank(const JobGraph& graph) {
  std::map<std::uint32_t, std::vector<std::size_t>> by_rank;
  for (std::size_t i = 0; i < graph.captures().size(); ++i)
    by_rank[graph.captures()[i].rank].push_back(i);
  std::vector<std::vector<std::size_t>> all;
  for (auto& [rank, captures] : by_rank) all.push_back(std::move(captures));
  return all;
}

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

Typical::Typical(const JobGraph& graph, const Peers& peers, const Places& places, Alike alike,
                 const Typical* of_places)
    : graph_(&graph), places_(&places), alike_(alike), is_counted_(AreCounted(graph)) {
  const std::uint32_t rows = alike == Alike::kPlace ? places.place_count() : places.work_count();
  duration_ns_.assign(rows, kUnknown);
  gap_ns_.assign(rows, 0);
  std::vector<std::int64_t> durations, gaps;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::span<const NodeId> nodes =
        alike == Alike::kPlace ? places.NodesOf(row) : places.NodesOfWork(row);
    if (of_places != nullptr && alike == Alike::kPlaceAndShape) {
      const std::uint32_t place = places.PlaceOf(nodes.front());
      if (places.FirstWork(place) + 1 == places.FirstWork(place + 1)) {
        duration_ns_[row] = of_places->duration_ns_[place];
        gap_ns_[row] = of_places->gap_ns_[place];
        continue;
      }
    }
    KeepSpilledSmall();
    durations.clear();
    gaps.clear();
    for (const NodeId node : nodes) {
      if (!is_counted_[graph.StepOf(node)]) continue;
      durations.push_back(graph.nodes().DurationOf(node));
      gaps.push_back(graph.nodes().GapOf(node));
    }
    if (durations.size() < 2) continue;
    const bool are_two = peers.SizeFor(graph.RankOf(nodes.front())) == 2;
    duration_ns_[row] = are_two ? QuantileOf(durations, 0.25) : MedianOf(durations);
    gap_ns_[row] = are_two ? QuantileOf(gaps, 0.25) : MedianOf(gaps);
  }
}

void ForEachOfOtherSteps(const JobGraph& graph, const Places& places,
                         const std::function<void(NodeId, std::int64_t, std::int64_t)>& visit,
                         int threads) {
  const std::vector<bool> counted = AreCounted(graph);
  const std::vector<std::uint32_t> compared = ComparedWorks(graph, places);
  using Compared = std::pair<std::uint32_t, NodeId>;  // what it is compared with, node
  struct OfOthers {
    NodeId node = kNoNode;
    std::int64_t duration_ns = 0;
    std::int64_t gap_ns = 0;
  };
  const auto add = [&](std::span<const Compared> alike, std::vector<OfOthers>& found) {
    if (alike.size() < 2) return;
    std::vector<std::int64_t> durations, gaps;
    for (const auto& [of, node] : alike) {
      durations.push_back(graph.nodes().DurationOf(node));
      gaps.push_back(graph.nodes().GapOf(node));
    }
    std::sort(durations.begin(), durations.end());
    std::sort(gaps.begin(), gaps.end());
    for (const auto& [of, node] : alike)
      found.push_back({node, MiddleWithout<std::int64_t>(durations, graph.nodes().DurationOf(node)),
                       MiddleWithout<std::int64_t>(gaps, graph.nodes().GapOf(node))});
  };
  // Rank by rank, whose nodes lie together in memory.
  const auto of_rank = [&](const std::vector<std::size_t>& captures) {
    std::vector<Compared> nodes;
    for (const std::size_t capture : captures) {
      for (NodeId node = graph.captures()[capture].first; node < graph.captures()[capture].last;
           ++node) {
        const std::uint32_t work = places.WorkOf(node);
        if (work != Places::kNone && counted[graph.StepOf(node)])
          nodes.emplace_back(compared[work], node);
      }
    }
    std::sort(nodes.begin(), nodes.end());
    std::vector<OfOthers> found;
    for (auto first = nodes.begin(); first != nodes.end();) {
      const auto last = std::find_if(
          first, nodes.end(), [&](const Compared& other) { return other.first != first->first; });
      add(std::span(first, last), found);
      first = last;
    }
    return found;
  };
  const std::vector<std::vector<std::size_t>> ranks = CapturesByRank(graph);
  // A few ranks at a time are in memory.
  const std::size_t at_once = 2 * static_cast<std::size_t>(std::max(threads, 1));
  std::vector<std::vector<OfOthers>> found(std::min(at_once, ranks.size()));
  for (std::size_t first = 0; first < ranks.size(); first += at_once) {
    const std::size_t count = std::min(at_once, ranks.size() - first);
    ParallelFor(count, threads, [&](std::size_t i) { found[i] = of_rank(ranks[first + i]); });
    for (std::size_t i = 0; i < count; ++i) {
      for (const OfOthers& of : found[i]) visit(of.node, of.duration_ns, of.gap_ns);
    }
  }
}

}  // namespace rankscope
