#include "insight/evidence/peers/work_in_turn.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "insight/base/thresholds.h"
#include "insight/evidence/loss/ranks_in_turn.h"

namespace rankscope {
namespace {

constexpr std::size_t kLeastPeers = 3;
// A rank whose other kernels are work beside its peers' computes so much of them more in all: else
// they stand in place of kernels of other names.
constexpr double kMostOfIt = 0.8;

bool MayHaveSome(const RuleInput& input) {
  return input.graph().is_aligned() && input.counted().size() >= 3 &&
         std::ranges::any_of(input.peers().of, [](const std::vector<std::uint32_t>& peers) {
           return peers.size() >= kLeastPeers;
         });
}

// What ranks compute in each step.
class Computing {
 public:
  explicit Computing(const RuleInput& input) : input_(input) {
    ns_.assign(input.graph().steps().size() * input.ranks(), 0);
    input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
      if (kind.work == Work::kCompute)
        ns_[At(input.RankOf(node), input.graph().StepOf(node))] +=
            input.graph().nodes().DurationOf(node);
    });
  }

  // Beyond the middle one of the rank's peers (of two, the lower), or 0 where one of these computes
  // nothing in that step.
  std::int64_t Beyond(std::uint32_t rank, std::uint32_t step) {
    of_peers_.clear();
    for (const std::uint32_t peer : input_.peers().of[input_.peers().group_of[rank]])
      of_peers_.push_back(ns_[At(peer, step)]);
    std::ranges::sort(of_peers_);
    return of_peers_.front() == 0 ? 0 : ns_[At(rank, step)] - of_peers_[(of_peers_.size() - 1) / 2];
  }

 private:
  std::size_t At(std::uint32_t rank, std::uint32_t step) const {
    return step * input_.ranks() + rank;
  }

  const RuleInput& input_;
  std::vector<std::int64_t> ns_, of_peers_;
};

}  // namespace

std::optional<WorkInTurn> FindWorkInTurn(const RuleInput& input) {
  if (!MayHaveSome(input)) return std::nullopt;
  const JobGraph& graph = input.graph();
  const Places& places = input.places();
  // By rank and step.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> some;
  std::map<std::uint32_t, std::vector<NodeId>> by_step;
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    const std::span<const NodeId> nodes = places.NodesOf(place);
    if (graph.KindOf(nodes.front()).work != Work::kCompute) continue;
    const std::size_t peers = input.peers().SizeFor(input.RankOf(nodes.front()));
    if (peers < kLeastPeers) continue;
    by_step.clear();
    for (const NodeId node : nodes) by_step[graph.StepOf(node)].push_back(node);
    for (const auto& [step, alike] : by_step) {
      if (step == kNoStep || 2 * alike.size() > peers) continue;
      for (const NodeId node : alike) some[{input.RankOf(node), step}].push_back(node);
    }
  }
  if (some.empty()) return std::nullopt;
  Computing computing(input);
  WorkInTurn found{.beyond = Selection(input), .who = {}};
  RanksInTurn in_turn;
  std::set<std::uint32_t> ranks;
  for (const auto& [where, nodes] : some) {
    std::int64_t ns = 0;
    for (const NodeId node : nodes) ns += graph.nodes().DurationOf(node);
    const std::int64_t beyond = computing.Beyond(where.first, where.second);
    if (static_cast<double>(beyond) < kMostOfIt * static_cast<double>(ns)) continue;
    for (const NodeId node : nodes) {
      found.beyond.Add(node);
      in_turn.Add(input, node, graph.nodes().DurationOf(node));
      if (input.Counts(node)) ranks.insert(where.first);
    }
  }
  if (ranks.size() < 2) return std::nullopt;
  found.who = in_turn.Who(input, input.ranks());
  found.most_ns = static_cast<double>(in_turn.MostOfSteps()) /
                  static_cast<double>(std::max<std::size_t>(1, input.counted().size()));
  if (found.who.empty() || found.most_ns < kLowGain * input.step_ns()) return std::nullopt;
  return found;
}

}  // namespace rankscope
