#include "replay/excess.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "replay/scenario.h"

namespace rankscope {
namespace {

struct Entry {
  std::uint64_t place = 0;
  NodeId node = 0;
  std::uint32_t group = 0;
};

// How many rendezvous there are among these in the step that has most: what the members of one take
// for the transfer is one observation.
std::size_t MeetingsAtOnce(const JobGraph& graph, std::span<const Entry> entries) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met;  // step, rendezvous
  for (const Entry& entry : entries) {
    const std::uint32_t meeting = graph.nodes()[entry.node].rendezvous;
    if (meeting != kNoRendezvous) met.emplace_back(graph.StepOf(entry.node), meeting);
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
std::int64_t UsualOf(std::vector<std::int64_t>& values, std::size_t zeros, bool of_two_peers) {
  std::sort(values.begin(), values.end());
  const std::size_t count = zeros + values.size();
  const auto at = [&](std::size_t i) { return i < zeros ? 0 : values[i - zeros]; };
  if (of_two_peers) return at((count - 1) / 4);
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
  same_work_ns_ = std::move(TypicalOfPeers(graph, peers, Alike::kPlaceAndShape).duration_ns);
}

void Excess::SetUsual(const Peers& peers) {
  const JobGraph& graph = *graph_;
  std::vector<bool> counted(graph.steps().size(), false);
  for (const std::size_t step : CountedSteps(graph)) counted[step] = true;
  const std::vector<std::size_t> steps_of = StepsOfGroups(graph, peers, counted);
  usual_ns_.assign(graph.nodes().size(), Typical::kUnknown);
  usual_gap_ns_.assign(graph.nodes().size(), 0);
  is_unusual_.assign(graph.nodes().size(), false);
  std::vector<Entry> entries;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    const std::uint32_t group = peers.group_of[capture.rank];
    if (steps_of[group] < 2) continue;
    for (NodeId node = capture.first; node < capture.last; ++node) {
      if (graph.StepOf(node) != kNoStep) entries.push_back({graph.PlaceOf(node), node, group});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.place != b.place ? a.place < b.place : a.node < b.node;
  });
  std::vector<std::size_t> in_step(graph.steps().size(), 0);
  std::vector<std::int64_t> durations, gaps;
  for (std::size_t i = 0; i < entries.size();) {
    durations.clear();
    gaps.clear();
    std::size_t end = i;
    for (; end < entries.size() && entries[end].group == entries[i].group &&
           entries[end].place == entries[i].place;
         ++end) {
      const NodeId node = entries[end].node;
      if (!counted[graph.StepOf(node)]) continue;
      durations.push_back(graph.nodes()[node].duration_ns);
      gaps.push_back(graph.nodes()[node].gap_ns);
    }
    for (std::size_t k = i; k < end; ++k) ++in_step[graph.StepOf(entries[k].node)];
    for (std::size_t k = i; k < end; ++k)
      is_unusual_[entries[k].node] =
          2 * in_step[graph.StepOf(entries[k].node)] <= peers.of[entries[k].group].size();
    for (std::size_t k = i; k < end; ++k) in_step[graph.StepOf(entries[k].node)] = 0;
    // What only steps that do not count have cannot be compared.
    if (!durations.empty()) {
      const std::uint32_t group = entries[i].group;
      const bool are_two = peers.of[group].size() == 2 ||
                           MeetingsAtOnce(graph, std::span(entries).subspan(i, end - i)) == 2;
      const std::size_t zeros = std::max(steps_of[group], durations.size()) - durations.size();
      const std::int64_t duration = UsualOf(durations, zeros, are_two);
      const std::int64_t gap = UsualOf(gaps, 0, are_two);
      for (std::size_t k = i; k < end; ++k) {
        usual_ns_[entries[k].node] = duration;
        usual_gap_ns_[entries[k].node] = gap;
      }
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
