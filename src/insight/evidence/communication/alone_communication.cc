#include "insight/evidence/communication/alone_communication.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/loss/node_sums.h"

namespace rankscope {
namespace {

// Of a step: less that comes and goes is no waiting for a late rank.
constexpr double kLeastWaiting = 0.03;

// So many others of its kind in a step tell what a collective may take.
constexpr std::size_t kEnoughAlike = 2;

// Whether it is not known of a communication node when all of its partners came.
bool IsAlone(const RuleInput& input, NodeId node) {
  const JobGraph& graph = input.graph();
  if (graph.KindOf(node).work != Work::kCommunication || graph.StepOf(node) == kNoStep)
    return false;
  const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
  if (rendezvous == kNoRendezvous) return true;
  const std::uint32_t number = graph.meetings()[rendezvous].collective;
  if (number == UINT32_MAX) return false;
  const JobCollectives& all = input.across().collectives();
  const JobCollective& collective = all.collectives()[number];
  return all.LacksMembers(collective);
}

// What each rank communicates first and last in a step (a gathering, a reduction), which no
// computing hides: the node, and the longest other one of its kind in that step. It is part of a
// healthy step so far as it takes no longer than the others, which computing may have hidden.
std::map<NodeId, std::int64_t> EndsOfSteps(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  using RankStep = std::pair<std::uint32_t, std::uint32_t>;
  std::map<RankStep, std::vector<NodeId>> alone;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (IsAlone(input, node)) alone[{input.RankOf(node), graph.StepOf(node)}].push_back(node);
  }
  std::map<NodeId, std::int64_t> longest;
  for (const auto& [where, nodes] : alone) {
    const auto first = *std::ranges::min_element(
        nodes, {}, [&](NodeId node) { return input.now().BeginOf(node); });
    const auto last =
        *std::ranges::max_element(nodes, {}, [&](NodeId node) { return input.now().EndOf(node); });
    for (const NodeId end : {first, last}) {
      std::int64_t most = 0;
      std::size_t alike = 0;
      for (const NodeId node : nodes) {
        if (node == end || &graph.KindOf(node) != &graph.KindOf(end)) continue;
        most = std::max<std::int64_t>(most, graph.nodes()[node].duration_ns);
        ++alike;
      }
      if (alike >= kEnoughAlike) longest.emplace(end, most);
    }
  }
  return longest;
}

// Of such a node; UINT32_MAX: not known.
std::uint32_t GroupOf(const RuleInput& input, NodeId node) {
  const JobGraph& graph = input.graph();
  const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
  if (rendezvous == kNoRendezvous) return UINT32_MAX;
  const std::uint32_t number = graph.meetings()[rendezvous].collective;
  return number == UINT32_MAX ? UINT32_MAX
                              : input.across().collectives().collectives()[number].group;
}

// Whether, of most of the time of such nodes, most members were recorded: then whoever comes late
// probably was, too.
bool MostMembersWereRecorded(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const JobCollectives& all = input.across().collectives();
  std::int64_t all_ns = 0, recorded_ns = 0;
  input.ForEach([&](NodeId node, const NodeKind&) {
    if (!IsAlone(input, node)) return;
    all_ns += graph.nodes().DurationOf(node);
    const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
    if (rendezvous == kNoRendezvous) return;
    const JobCollective& collective = all.collectives()[graph.meetings()[rendezvous].collective];
    if (2 * static_cast<std::int64_t>(collective.count) > all.SizeOf(collective))
      recorded_ns += graph.nodes().DurationOf(node);
  });
  return 2 * recorded_ns > all_ns;
}

// Whether the ranks are there, but no collective ends on all of them at once, so that nothing shows
// the differences of their clocks: all members of most collectives were recorded.
bool LacksOneClock(const RuleInput& input) {
  if (input.graph().is_aligned()) return false;
  const JobCollectives& all = input.across().collectives();
  const auto whole = std::ranges::count_if(all.collectives(), [&](const JobCollective& one) {
    return one.count > 1 && !all.LacksMembers(one);
  });
  return 2 * static_cast<std::size_t>(whole) > all.collectives().size();
}

// What the job gains where each takes as long as the shortest one of its kind: waiting for somebody
// comes and goes, transfers stay.
double GainOfSteady(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::map<const NodeKind*, std::int64_t> shortest;
  const auto for_each = [&](const auto& visit) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (IsAlone(input, node)) visit(node, &graph.KindOf(node), graph.nodes().DurationOf(node));
    }
  };
  for_each([&](NodeId, const NodeKind* kind, std::int64_t ns) {
    const auto [found, is_new] = shortest.try_emplace(kind, ns);
    found->second = std::min(found->second, ns);
  });
  Scenario steady = input.recorded();
  for_each([&](NodeId node, const NodeKind* kind, std::int64_t) {
    steady.SetDuration(node, shortest.at(kind));
  });
  return input.GainOf(steady);
}

}  // namespace

bool MostIsAlone(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::int64_t all_ns = 0, alone_ns = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCommunication) return;
    all_ns += graph.nodes()[node].duration_ns;
    if (IsAlone(input, node)) alone_ns += graph.nodes()[node].duration_ns;
  });
  return 2 * alone_ns > all_ns;
}

std::optional<Cause> CauseOfAlone(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  // Where nobody seems to be late, what layers exchange is needed (exposed-transfer).
  const bool is_steady = MostMembersWereRecorded(input) && GainOfSteady(input) < kLeastWaiting;
  const std::set<std::uint32_t> data_parallel = DataParallelGroups(input);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!IsAlone(input, node) || (is_steady && !data_parallel.contains(GroupOf(input, node))))
      continue;
    without.SetDuration(node, 0);
    sums.Add(node, 0);
  }
  if (sums.empty()) return std::nullopt;
  for (const auto& [node, most_ns] : EndsOfSteps(input)) {
    const std::int64_t duration_ns = graph.nodes()[node].duration_ns;
    without.SetDuration(node, std::min(duration_ns, most_ns));
  }
  Cause cause;
  sums.TellIn(cause);
  cause.gain = std::max(0.0, input.GainOf(without));
  cause.gain_method = "bound";
  cause.is_rest = true;
  cause.confidence = 0.4;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * input.step_ns());
  cause.what = fmt::format(
      "communication that is not hidden by computing costs up to {} a step; other ranks were not "
      "recorded, so how much of it is waiting for them is not known",
      TimeText(static_cast<double>(*cause.lost_ns)));
  cause.why =
      "replayed with communication taking no time, but for the first and last of a step as far as "
      "these take no longer than the others: more than can be had";
  cause.recommendation =
      "Record all ranks of the job (or one host's), to tell waiting for a late rank from slow "
      "transfers; then see rankscope explain exposed-communication.";
  cause.command = "rankscope table overlap TRACES";
  if (!LacksOneClock(input)) return cause;
  cause.what = fmt::format(
      "communication that is not hidden by computing costs up to {} a step; the clocks of the "
      "ranks "
      "are not known to each other, so how much of it is waiting for a late rank is not known",
      TimeText(static_cast<double>(*cause.lost_ns)));
  cause.recommendation =
      "Record a collective that ends on all ranks at once: clocks are compared by all-reduces, "
      "all-gathers and barriers of equal sizes, and this recording has none (uneven all-to-alls "
      "end on each rank when its own part is there). While recording, call "
      "torch.distributed.all_reduce on one value a step; then waiting for a late rank can be told "
      "from slow transfers.";
  return cause;
}

}  // namespace rankscope
