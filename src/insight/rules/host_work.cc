// host-work: the program's own work on the host, alike on all ranks, for which devices wait.
//
// Only long stretches are looked at: what each launch takes is another matter (launch-bound).
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "insight/cause_tools.h"
#include "insight/evidence/host_stretches.h"
#include "insight/evidence/node_sums.h"
#include "insight/evidence/step_costs.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostNames = 4;  // each costs a replay

struct Named {
  std::vector<NodeId> nodes;
  std::vector<std::int64_t> of_rank;
  std::int64_t MostOfARank() const { return *std::max_element(of_rank.begin(), of_rank.end()); }
};

Cause CauseOfWork(const RuleInput& input, const std::string& name, const Named& named) {
  Scenario without = input.recorded();
  NodeSums sums(input);
  StepCosts steps(input);
  for (const NodeId node : named.nodes) {
    const std::int64_t ns = input.graph().nodes()[node].duration_ns;
    without.SetDuration(node, 0);
    sums.Add(node, static_cast<double>(ns));
    steps.Add(node, ns);
  }
  Cause cause;
  sums.TellIn(cause);
  steps.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format("devices wait while the host of {} works {} a step in {}",
                           WhoText(input, cause.ranks), TimeText(sums.LostPerStep()),
                           name.empty() ? "what no op or frame names" : name);
  return cause;
}

std::vector<Cause> FindAll(const RuleInput& input) {
  if (!HasDeviceWork(input.graph())) return {};
  const auto& stretches = input.Shared<HostStretches>();
  std::map<std::string, Named> by_name;
  for (const NodeId node : stretches.nodes) {
    if (stretches.Waits(node)) continue;
    Named& named = by_name[NameOfStretch(input.graph(), node)];
    named.of_rank.resize(input.ranks(), 0);
    named.nodes.push_back(node);
    named.of_rank[input.RankOf(node)] += input.graph().nodes()[node].duration_ns;
  }
  std::vector<std::pair<std::int64_t, const std::string*>> most;
  for (const auto& [name, named] : by_name) {
    const double share = input.ShareOfSteps(named.MostOfARank());
    // More than a whole step is not of steps: what the device does of them was not recorded whole.
    // What has no name is told by a replay alone.
    if (share >= kLowGain && share <= 1 && (!name.empty() || input.fidelity().refused.empty()))
      most.emplace_back(-named.MostOfARank(), &name);
  }
  std::sort(most.begin(), most.end());
  if (most.size() > kMostNames) most.resize(kMostNames);
  std::vector<Cause> causes;
  for (const auto& [ns, name] : most)
    causes.push_back(CauseOfWork(input, *name, by_name.at(*name)));
  return causes;
}

}  // namespace

const Rule& HostWorkRule() {
  static const Rule kRule{
      .id = "host-work",
      .summary = "the host's own work, for which devices wait",
      .tier = Tier::kExposed,
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find_all = FindAll,
      .why =
          "stretches of 200 us and more in which a host thread works on and launches nothing, "
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
