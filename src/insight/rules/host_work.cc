// host-work: the program's own work on the host, alike on all ranks, for which devices wait.
//
// Only long stretches are looked at: what each launch takes is another matter (launch-bound).
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_stretches.h"
#include "insight/evidence/node_sums.h"
#include "insight/evidence/step_costs.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

struct Named {
  std::vector<NodeId> nodes;
  std::vector<std::int64_t> of_rank;
  std::int64_t MostOfARank() const { return *std::max_element(of_rank.begin(), of_rank.end()); }
};

std::map<std::string, Named> ByName(const RuleInput& input) {
  const auto& stretches = input.Shared<HostStretches>();
  std::map<std::string, Named> by_name;
  for (const NodeId node : stretches.nodes) {
    if (stretches.Waits(node)) continue;
    Named& named = by_name[NameOfStretch(input.graph(), node)];
    named.of_rank.resize(input.ranks(), 0);
    named.nodes.push_back(node);
    named.of_rank[input.RankOf(node)] += input.graph().nodes()[node].duration_ns;
  }
  return by_name;
}

// Those that take 1 % of a step on some rank, the largest first. More than a whole step is not of
// steps: what the device does of them was not recorded whole. What has no name is told by a replay
// alone.
std::vector<std::pair<std::int64_t, std::string>> LargestNames(
    const RuleInput& input, const std::map<std::string, Named>& by_name) {
  std::vector<std::pair<std::int64_t, std::string>> most;
  for (const auto& [name, named] : by_name) {
    const double share = input.ShareOfSteps(named.MostOfARank());
    if (share >= kLowGain && share <= 1 && (!name.empty() || input.fidelity().refused.empty()))
      most.emplace_back(-named.MostOfARank(), name);
  }
  std::sort(most.begin(), most.end());
  return most;
}

std::optional<Cause> Find(const RuleInput& input) {
  if (!HasDeviceWork(input.graph())) return std::nullopt;
  const std::map<std::string, Named> by_name = ByName(input);
  const auto most = LargestNames(input, by_name);
  if (most.empty()) return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  StepCosts steps(input);
  for (const auto& [ns, name] : most) {
    for (const NodeId node : by_name.at(name).nodes) {
      const std::int64_t took = input.graph().nodes()[node].duration_ns;
      without.SetDuration(node, 0);
      sums.Add(node, static_cast<double>(took));
      steps.Add(node, took);
    }
  }
  Cause cause;
  sums.TellIn(cause);
  steps.TellIn(cause);
  cause.without = std::move(without);
  const std::string& largest = most.front().second;
  // (rank, step) in which it stops at all.
  std::set<std::pair<std::uint32_t, std::uint32_t>> stopped;
  for (const auto& [ns, name] : most) {
    for (const NodeId node : by_name.at(name).nodes)
      stopped.emplace(input.RankOf(node), input.graph().StepOf(node));
  }
  cause.what = fmt::format("devices wait while the host of {} works {} a step, {}{}",
                           WhoText(input, cause.ranks), TimeText(sums.LostPerStep()),
                           most.size() == 1 ? "in " : "above all in ",
                           largest.empty() ? "what no op or frame names" : largest);
  if (largest.empty() && 2 * stopped.size() <= cause.ranks.size() * input.counted().size())
    cause.what += "; it is not there in most steps: Python's garbage collector would look so";
  return cause;
}

}  // namespace

const Rule& HostWorkRule() {
  static const Rule kRule{
      .id = "host-work",
      .summary = "the host's own work, for which devices wait",
      .tier = Tier::kExposed,
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = Find,
      .why =
          "stretches of 100 us and more in which a host thread works on and launches nothing, "
          "outside of "
          "waits, loaders and allocators; replayed without them",
      .recommendation =
          "Take it out of the step: another thread, less often, vectorised, or on the device. "
          "Where no "
          "line is named, record stacks (with_stack=True, or rankscope-agent's CPU samples).",
      .command = "rankscope table critical_path_events TRACES",
  };
  return kRule;
}

}  // namespace rankscope
