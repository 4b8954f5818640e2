#include "replay/peers/excess.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/spilled_pages.h"
#include "replay/scenario/scenario.h"

namespace rankscope {
namespace {

// How many rendezvous there are among these in the step that has most: what the members of one take
// for the transfer is one observation.
std::size_t MeetingsAtOnce(const JobGraph& graph, std::span<const NodeId> nodes) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met;  // step, rendezvous
  for (const NodeId node : nodes) {
    const std::uint32_t meeting = graph.nodes().RendezvousOf(node);
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

// The median of `values` and `zeros` zeros before them; of two peers the lower quartile. Puts the
// values into another order. O(n).
std::int64_t MiddleOf(std::vector<std::int64_t>& values, std::size_t zeros, bool are_two) {
  const std::size_t count = zeros + values.size();
  const std::size_t place = are_two ? (count - 1) / 4 : count / 2;
  if (place < zeros) return 0;
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(place - zeros);
  std::nth_element(values.begin(), upper, values.end());
  if (are_two || count % 2 == 1) return *upper;
  const std::int64_t lower = upper == values.begin() ? 0 : *std::max_element(values.begin(), upper);
  return lower + (*upper - lower) / 2;
}

}  // namespace

std::string_view ToString(LateCause cause) {
  static constexpr std::array<std::string_view, kLateCauseCount> kNames = {
      "slower kernels", "more work",  "kernels",  "copies",     "host",
      "pause",          "gc",         "input",    "sync",       "allocator",
      "compiling",      "checkpoint", "transfer", "usual work", "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

Excess::Excess(const JobGraph& graph, const Peers& peers, const Places& places)
    : graph_(&graph),
      places_(&places),
      has_shapes_(std::any_of(graph.kinds().begin(), graph.kinds().end(),
                              [](const NodeKind& kind) { return kind.TellsWork(); })) {
  SetUsual(peers);
}

void Excess::SetUsual(const Peers& peers) {
  const JobGraph& graph = *graph_;
  const std::vector<bool> counted = AreCounted(graph);
  const std::vector<std::size_t> steps_of = RankStepsOf(graph, peers);
  usual_ns_.assign(places_->place_count(), Typical::kUnknown);
  usual_gap_ns_.assign(places_->place_count(), 0);
  same_work_ns_.assign(has_shapes_ ? places_->work_count() : 0, Typical::kUnknown);
  is_unusual_.assign(graph.nodes().size(), false);
  std::vector<std::size_t> in_step(graph.steps().size(), 0);
  for (std::uint32_t place = 0; place < places_->place_count(); ++place) {
    KeepSpilledSmall();
    const std::span<const NodeId> nodes = places_->NodesOf(place);
    const std::uint32_t group = peers.group_of[graph.RankOf(nodes.front())];
    if (steps_of[group] < 2) continue;
    const bool are_two = peers.of[group].size() == 2 || MeetingsAtOnce(graph, nodes) == 2;
    MarkUnusual(place, peers.of[group].size(), in_step);
    SetUsualOf(place, counted, steps_of[group], are_two);
    if (has_shapes_ && graph.KindOf(nodes.front()).Computes()) SetSameWork(place, counted, are_two);
  }
}

void Excess::MarkUnusual(std::uint32_t place, std::size_t peers,
                         std::vector<std::size_t>& in_step) {
  const std::span<const NodeId> nodes = places_->NodesOf(place);
  for (const NodeId node : nodes) ++in_step[graph_->StepOf(node)];
  for (const NodeId node : nodes) is_unusual_[node] = 2 * in_step[graph_->StepOf(node)] <= peers;
  for (const NodeId node : nodes) in_step[graph_->StepOf(node)] = 0;
}

void Excess::SetUsualOf(std::uint32_t place, const std::vector<bool>& counted, std::size_t steps,
                        bool are_two) {
  std::vector<std::int64_t> durations, gaps;
  for (const NodeId node : places_->NodesOf(place)) {
    if (!counted[graph_->StepOf(node)]) continue;
    durations.push_back(graph_->nodes().DurationOf(node));
    gaps.push_back(graph_->nodes().GapOf(node));
  }
  // What only steps that do not count have cannot be compared.
  if (durations.empty()) return;
  const std::size_t zeros = std::max(steps, durations.size()) - durations.size();
  usual_ns_[place] = MiddleOf(durations, zeros, are_two);
  usual_gap_ns_[place] = MiddleOf(gaps, 0, are_two);
}

void Excess::SetSameWork(std::uint32_t place, const std::vector<bool>& counted, bool are_two) {
  std::vector<std::int64_t> durations;
  for (std::uint32_t work = places_->FirstWork(place); work < places_->FirstWork(place + 1);
       ++work) {
    durations.clear();
    for (const NodeId node : places_->NodesOfWork(work)) {
      if (counted[graph_->StepOf(node)]) durations.push_back(graph_->nodes().DurationOf(node));
    }
    if (durations.size() > 1) same_work_ns_[work] = MiddleOf(durations, 0, are_two);
  }
}

LateCause Excess::CauseOf(NodeId node, std::int64_t excess) const {
  switch (graph_->KindOf(node).work) {
    case Work::kCompute:
      return LateCause::kKernels;
    case Work::kCommunication:
      // Without its partners, how much of it is waiting is not known.
      return graph_->nodes().RendezvousOf(node) == kNoRendezvous ? LateCause::kUnexplained
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
      return excess >= kLeastPauseNs && excess >= (kPauseOfUsual - 1) * UsualOf(node)
                 ? LateCause::kPause
                 : LateCause::kHost;
    default:
      return LateCause::kHost;
  }
}

}  // namespace rankscope
