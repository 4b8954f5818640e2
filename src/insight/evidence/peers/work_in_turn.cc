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

bool MayHaveSome(const RuleInput& input) {
  return input.graph().is_aligned() && input.counted().size() >= 3 &&
         std::ranges::any_of(input.peers().of, [](const std::vector<std::uint32_t>& peers) {
           return peers.size() >= kLeastPeers;
         });
}

}  // namespace

std::optional<WorkInTurn> FindWorkInTurn(const RuleInput& input) {
  if (!MayHaveSome(input)) return std::nullopt;
  const JobGraph& graph = input.graph();
  const Places& places = input.places();
  WorkInTurn found{.beyond = Selection(input), .who = {}};
  RanksInTurn in_turn;
  std::set<std::uint32_t> ranks;
  std::map<std::uint32_t, std::vector<NodeId>> by_step;
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    const std::span<const NodeId> nodes = places.NodesOf(place);
    if (graph.KindOf(nodes.front()).work != Work::kCompute) continue;
    const std::size_t peers = input.peers().SizeFor(input.RankOf(nodes.front()));
    if (peers < kLeastPeers) continue;
    by_step.clear();
    for (const NodeId node : nodes) by_step[graph.StepOf(node)].push_back(node);
    for (const auto& [step, some] : by_step) {
      if (step == kNoStep || 2 * some.size() > peers) continue;
      for (const NodeId node : some) {
        found.beyond.Add(node);
        in_turn.Add(input, node, graph.nodes().DurationOf(node));
        if (input.Counts(node)) ranks.insert(input.RankOf(node));
      }
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
