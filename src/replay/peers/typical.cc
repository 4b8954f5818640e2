#include "replay/peers/typical.h"

#include <algorithm>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <map>
#include <span>
#include <utility>

#include "base/median.h"
#include "base/parallel.h"
#include "base/spilled_pages.h"
#include "replay/scenario/scenario.h"

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

// A node and what it is compared with, in one number: sorted, those that are alike lie together.
class ComparedNode {
 public:
  ComparedNode() = default;
  ComparedNode(std::uint32_t with, NodeId node) : number_(std::uint64_t{with} << 32 | node) {}
  std::uint32_t with() const { return static_cast<std::uint32_t>(number_ >> 32); }
  NodeId node() const { return static_cast<NodeId>(number_); }

  // As integer_sort asks for it.
  std::uint64_t operator>>(std::size_t bits) const { return number_ >> bits; }
  friend bool operator<(ComparedNode a, ComparedNode b) { return a.number_ < b.number_; }

 private:
  std::uint64_t number_ = 0;
};

// Of the counted steps of a rank, ascending.
std::vector<ComparedNode> ComparedNodesOf(const JobGraph& graph,
                                          const std::vector<std::size_t>& captures,
                                          const Places& places,
                                          const std::vector<std::uint32_t>& compared,
                                          const std::vector<bool>& counted) {
  std::vector<ComparedNode> nodes;
  for (const std::size_t capture : captures) {
    for (const NodeId node : graph.captures()[capture].nodes()) {
      const std::uint32_t work = places.WorkOf(node);
      if (work != Places::kNone && counted[graph.StepOf(node)])
        nodes.emplace_back(compared[work], node);
    }
  }
  boost::sort::spreadsort::integer_sort(nodes.begin(), nodes.end());
  return nodes;
}

// Adds them in about so many parts, none of which ends among nodes that are alike.
void DivideAlike(std::span<const ComparedNode> nodes, std::size_t count,
                 std::vector<std::span<const ComparedNode>>& parts) {
  const std::size_t size = nodes.size() / count + 1;
  for (std::size_t first = 0; first < nodes.size();) {
    std::size_t end = std::min(first + size, nodes.size());
    while (end < nodes.size() && nodes[end].with() == nodes[end - 1].with()) ++end;
    parts.push_back(nodes.subspan(first, end - first));
    first = end;
  }
}

struct OfOtherSteps {
  NodeId node = kNoNode;
  std::int64_t duration_ns = 0;
  std::int64_t gap_ns = 0;
};

std::vector<OfOtherSteps> OfOtherStepsIn(const JobGraph& graph,
                                         std::span<const ComparedNode> nodes) {
  std::vector<OfOtherSteps> found;
  std::vector<std::int64_t> durations, gaps;
  for (std::size_t first = 0, end = 0; first < nodes.size(); first = end) {
    durations.clear();
    gaps.clear();
    for (; end < nodes.size() && nodes[end].with() == nodes[first].with(); ++end) {
      durations.push_back(graph.nodes().DurationOf(nodes[end].node()));
      gaps.push_back(graph.nodes().GapOf(nodes[end].node()));
    }
    if (durations.size() < 2) continue;
    std::sort(durations.begin(), durations.end());
    std::sort(gaps.begin(), gaps.end());
    for (const ComparedNode& of : nodes.subspan(first, end - first)) {
      const NodeId node = of.node();
      found.push_back({node, MiddleWithout<std::int64_t>(durations, graph.nodes().DurationOf(node)),
                       MiddleWithout<std::int64_t>(gaps, graph.nodes().GapOf(node))});
    }
  }
  return found;
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
    for (const NodeId node : capture.nodes()) {
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
                 const Typical* of_places, int threads)
    : graph_(&graph), places_(&places), alike_(alike), is_counted_(AreCounted(graph)) {
  const std::uint32_t rows = alike == Alike::kPlace ? places.place_count() : places.work_count();
  duration_ns_.assign(rows, kUnknown);
  gap_ns_.assign(rows, 0);
  // So many that a thread's part is worth its start.
  constexpr std::uint32_t kRowsAtOnce = 4096;
  ParallelFor((rows + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&](std::size_t i) {
    const auto first = static_cast<std::uint32_t>(i) * kRowsAtOnce;
    SetRows(first, std::min(first + kRowsAtOnce, rows), peers, of_places);
  });
}

void Typical::SetRows(std::uint32_t first, std::uint32_t last, const Peers& peers,
                      const Typical* of_places) {
  std::vector<std::int64_t> durations, gaps;
  for (std::uint32_t row = first; row < last; ++row) {
    const std::span<const NodeId> nodes =
        alike_ == Alike::kPlace ? places_->NodesOf(row) : places_->NodesOfWork(row);
    if (of_places != nullptr && alike_ == Alike::kPlaceAndShape) {
      const std::uint32_t place = places_->PlaceOf(nodes.front());
      if (places_->FirstWork(place) + 1 == places_->FirstWork(place + 1)) {
        duration_ns_[row] = of_places->duration_ns_[place];
        gap_ns_[row] = of_places->gap_ns_[place];
        continue;
      }
    }
    KeepSpilledSmall();
    durations.clear();
    gaps.clear();
    for (const NodeId node : nodes) {
      if (!is_counted_[graph_->StepOf(node)]) continue;
      durations.push_back(graph_->nodes().DurationOf(node));
      gaps.push_back(graph_->nodes().GapOf(node));
    }
    if (durations.size() < 2) continue;
    const bool are_two = peers.SizeFor(graph_->RankOf(nodes.front())) == 2;
    duration_ns_[row] = are_two ? QuantileOf(durations, 0.25) : MedianOf(durations);
    gap_ns_[row] = are_two ? QuantileOf(gaps, 0.25) : MedianOf(gaps);
  }
}

void ForEachOfOtherSteps(const JobGraph& graph, const Places& places,
                         const std::function<void(NodeId, std::int64_t, std::int64_t)>& visit,
                         int threads) {
  const std::vector<bool> counted = AreCounted(graph);
  const std::vector<std::uint32_t> compared = ComparedWorks(graph, places);
  const std::vector<std::vector<std::size_t>> ranks = CapturesByRank(graph);
  // A few ranks at a time are in memory; where there are fewer, each is divided.
  const std::size_t at_once = 2 * static_cast<std::size_t>(std::max(threads, 1));
  std::vector<std::vector<ComparedNode>> nodes(std::min(at_once, ranks.size()));
  for (std::size_t first = 0; first < ranks.size(); first += at_once) {
    const std::size_t count = std::min(at_once, ranks.size() - first);
    // Rank by rank, whose nodes lie together in memory.
    ParallelFor(count, threads, [&](std::size_t i) {
      nodes[i] = ComparedNodesOf(graph, ranks[first + i], places, compared, counted);
    });
    std::vector<std::span<const ComparedNode>> parts;
    for (std::size_t i = 0; i < count; ++i)
      DivideAlike(nodes[i], (at_once + count - 1) / count, parts);
    std::vector<std::vector<OfOtherSteps>> found(parts.size());
    ParallelFor(parts.size(), threads,
                [&](std::size_t i) { found[i] = OfOtherStepsIn(graph, parts[i]); });
    for (const std::vector<OfOtherSteps>& part : found) {
      for (const OfOtherSteps& of : part) visit(of.node, of.duration_ns, of.gap_ns);
    }
  }
}

}  // namespace rankscope
