#include "replay/excess.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "replay/alike_nodes.h"
#include "replay/scenario.h"

namespace rankscope {
namespace {

// How many rendezvous there are among these in the step that has most: what the members of one take
// for the transfer is one observation.
std::size_t MeetingsAtOnce(const JobGraph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met;  // step, rendezvous
  for (const NodeId node : nodes) {
    const std::uint32_t meeting = graph.nodes()[node].rendezvous;
    if (meeting != kNoRendezvous) met.emplace_back(graph.StepOf(node), meeting);
  }
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  std::size_t most = 0;
  for (std::size_t i = 0; i < met.size();) {
    std::size_t end = i;
    while (end < met.size() && met[end].first == met[i].first) ++end;
    most = std::max(most, end - i);
    i = end;
  }
  return most;
}

// Of `values` and so many zeros; the lower quartile of two peers, else the median.
std::int64_t UsualOf(std::vector<std::int64_t>& values, std::size_t zeros, bool are_two) {
  std::sort(values.begin(), values.end());
  const std::size_t count = zeros + values.size();
  const auto at = [&](std::size_t i) { return i < zeros ? 0 : values[i - zeros]; };
  if (are_two) return at((count - 1) / 4);
  const std::int64_t upper = at(count / 2);
  if (count % 2 == 1) return upper;
  const std::int64_t lower = at(count / 2 - 1);
  return lower + (upper - lower) / 2;
}

// The counted steps that the ranks of each group of peers have, summed over the ranks.
std::vector<std::size_t> StepsOfGroups(const JobGraph& graph, const Peers& peers,
                                       const std::vector<bool>& counted) {
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

}  // namespace

std::string_view ToString(LateCause cause) {
  static constexpr std::array<std::string_view, kLateCauseCount> kNames = {
      "slower kernels", "more work",  "kernels",  "copies",     "host",
      "pause",          "gc",         "input",    "sync",       "allocator",
      "compiling",      "checkpoint", "transfer", "usual work", "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

Excess::Excess(const JobGraph& graph, const Peers& peers)
    : graph_(&graph),
      has_shapes_(std::any_of(graph.kinds().begin(), graph.kinds().end(),
                              [](const NodeKind& kind) { return !kind.shapes.empty(); })) {
  SetUsual(peers);
}

void Excess::SetUsual(const Peers& peers) {
  const JobGraph& graph = *graph_;
  std::vector<bool> counted(graph.steps().size(), false);
  for (const std::size_t step : CountedSteps(graph)) counted[step] = true;
  const std::vector<std::size_t> steps_of = StepsOfGroups(graph, peers, counted);
  usual_ns_.assign(graph.nodes().size(), Typical::kUnknown);
  usual_gap_ns_.assign(graph.nodes().size(), 0);
  same_work_ns_.assign(has_shapes_ ? graph.nodes().size() : 0, Typical::kUnknown);
  is_unusual_.assign(graph.nodes().size(), false);
  const std::vector<KeyedNode> sorted =
      SortedByKey(graph, [&](NodeId node, std::uint32_t rank, std::uint64_t& key) {
        const std::uint32_t group = peers.group_of[rank];
        key = graph.PlaceOf(node) ^ KeyOfGroup(group);
        return steps_of[group] >= 2 && graph.StepOf(node) != kNoStep;
      });
  std::vector<NodeId> nodes;
  ForEachKey(sorted, [&](std::span<const KeyedNode> alikes) {
    nodes.clear();
    for (const KeyedNode& one : alikes) nodes.push_back(one.node);
    const std::uint32_t group = peers.group_of[graph.RankOf(nodes.front())];
    const bool are_two = peers.of[group].size() == 2 || MeetingsAtOnce(graph, nodes) == 2;
    MarkUnusual(nodes, peers.of[group].size());
    SetUsualOf(nodes, counted, steps_of[group], are_two);
    if (has_shapes_ && graph.KindOf(nodes.front()).work == Work::kCompute)
      SetSameWork(nodes, counted, are_two);
  });
}

void Excess::MarkUnusual(const std::vector<NodeId>& nodes, std::size_t peers) {
  boost::unordered_flat_map<std::uint32_t, std::size_t> in_step;
  for (const NodeId node : nodes) ++in_step[graph_->StepOf(node)];
  for (const NodeId node : nodes) is_unusual_[node] = 2 * in_step[graph_->StepOf(node)] <= peers;
}

void Excess::SetUsualOf(const std::vector<NodeId>& nodes, const std::vector<bool>& counted,
                        std::size_t steps, bool are_two) {
  std::vector<std::int64_t> durations, gaps;
  for (const NodeId node : nodes) {
    if (!counted[graph_->StepOf(node)]) continue;
    durations.push_back(graph_->nodes()[node].duration_ns);
    gaps.push_back(graph_->nodes()[node].gap_ns);
  }
  // What only steps that do not count have cannot be compared.
  if (durations.empty()) return;
  const std::size_t zeros = std::max(steps, durations.size()) - durations.size();
  const std::int64_t duration = UsualOf(durations, zeros, are_two);
  const std::int64_t gap = UsualOf(gaps, 0, are_two);
  for (const NodeId node : nodes) {
    usual_ns_[node] = duration;
    usual_gap_ns_[node] = gap;
  }
}

void Excess::SetSameWork(std::vector<NodeId>& nodes, const std::vector<bool>& counted,
                         bool are_two) {
  const auto kind_of = [&](NodeId node) { return graph_->nodes()[node].kind; };
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeId a, NodeId b) { return kind_of(a) < kind_of(b); });
  std::vector<std::int64_t> durations;
  for (std::size_t i = 0; i < nodes.size();) {
    durations.clear();
    std::size_t end = i;
    for (; end < nodes.size() && kind_of(nodes[end]) == kind_of(nodes[i]); ++end) {
      if (counted[graph_->StepOf(nodes[end])])
        durations.push_back(graph_->nodes()[nodes[end]].duration_ns);
    }
    if (durations.size() > 1) {
      const std::int64_t alike = UsualOf(durations, 0, are_two);
      for (std::size_t k = i; k < end; ++k) same_work_ns_[nodes[k]] = alike;
    }
    i = end;
  }
}

LateCause Excess::CauseOf(NodeId node, std::int64_t excess) const {
  switch (graph_->KindOf(node).work) {
    case Work::kCompute:
      return LateCause::kKernels;
    case Work::kCommunication:
      // Without its partners, how much of it is waiting is not known.
      return graph_->nodes()[node].rendezvous == kNoRendezvous ? LateCause::kUnexplained
                                                               : LateCause::kTransfer;
    case Work::kCopy:
      return LateCause::kCopy;
    case Work::kSyncCall:
      return LateCause::kSync;
    case Work::kAllocator:
      return LateCause::kAllocator;
    case Work::kDataLoading:
      return LateCause::kInput;
    case Work::kCompile:
      return LateCause::kCompile;
    case Work::kCheckpoint:
      return LateCause::kCheckpoint;
    case Work::kGarbage:
      return LateCause::kGarbage;
    case Work::kPython:
      return excess >= kLeastPauseNs && excess >= (kPauseOfUsual - 1) * usual_ns_[node]
                 ? LateCause::kPause
                 : LateCause::kHost;
    default:
      return LateCause::kHost;
  }
}

}  // namespace rankscope
