// slow-launches: some calls that launch work take far longer than the others, and devices wait.
//
// What a call takes is the driver's business: it waits for a lock, loads a kernel's code, or its
// thread does not run. Launching a whole graph takes long by its size, and is none; nor is a call
// that waits because the device has enough queued: without that the device would be done no sooner.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/launches.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/ranks_in_turn.h"
#include "insight/rules/rules.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

constexpr std::int64_t kLeastSlowCallNs = 200'000;
constexpr std::int64_t kTimesUsual = 20;

// Calls that waited for room in a queue that the device had to work off: what they launched began
// long after they returned, so the device was busy.
std::set<NodeId> BehindAFullQueue(const RuleInput& input, std::int64_t least_ns) {
  constexpr std::int64_t kLongAfterNs = 200'000;
  std::set<NodeId> behind;
  for (const Launch& launch : input.Shared<LaunchesOfWork>().all) {
    if (input.graph().nodes().DurationOf(launch.call) >= least_ns &&
        input.now().BeginOf(launch.work) - input.now().EndOf(launch.call) > kLongAfterNs)
      behind.insert(launch.call);
  }
  return behind;
}

// What most calls take, over all ranks; 0 without any.
std::int64_t UsualCallNs(const RuleInput& input) {
  std::vector<std::int64_t> calls;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kLaunchCall && !IsGraphLaunchCall(kind.name))
      calls.push_back(input.graph().nodes().DurationOf(node));
  });
  return MedianOf(calls);
}

std::optional<Cause> FindSlowLaunches(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::int64_t usual = UsualCallNs(input);
  const std::int64_t least = std::max(kLeastSlowCallNs, kTimesUsual * usual);
  const auto is_slow = [&](NodeId node) {
    const NodeKind& kind = graph.KindOf(node);
    return kind.work == Work::kLaunchCall && graph.nodes().DurationOf(node) >= least &&
           !IsGraphLaunchCall(kind.name) && graph.StepOf(node) != kNoStep;
  };
  bool any = false;
  for (NodeId node = 0; node < graph.nodes().size() && !any; ++node) any = is_slow(node);
  if (!any) return std::nullopt;
  const std::set<NodeId> behind_queue = BehindAFullQueue(input, least);
  Scenario without = input.recorded();
  NodeSums sums(input);
  RanksInTurn in_turn;
  std::int64_t longest = 0;
  std::map<std::uint32_t, std::vector<Interval>> held_up;  // by rank, of counted steps
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!is_slow(node) || behind_queue.contains(node)) continue;
    const std::int64_t ns = graph.nodes().DurationOf(node);
    without.SetDuration(node, usual);
    sums.Add(node, static_cast<double>(ns - usual));
    in_turn.Add(input, node, ns - usual);
    if (!input.Counts(node)) continue;
    longest = std::max(longest, ns);
    const std::int64_t begin = input.now().BeginOf(node);
    held_up[input.RankOf(node)].push_back({begin, begin + ns - usual});
  }
  if (sums.empty()) return std::nullopt;
  // What such a call launched began when it returned, and not when it was asked for.
  for (const Launch& launch : input.Shared<LaunchesOfWork>().all) {
    const std::int64_t saved =
        graph.nodes().DurationOf(launch.call) - without.DurationOf(launch.call);
    const std::int64_t gap = without.GapOf(launch.work);
    if (saved > 0 && gap > 0) without.SetGap(launch.work, std::max<std::int64_t>(0, gap - saved));
  }
  Cause cause;
  sums.TellIn(cause);
  // Threads that launch side by side are held up at one time.
  double lost = 0;
  for (auto& [rank, calls] : held_up)
    lost += static_cast<double>(Total(Normalise(std::move(calls))));
  cause.lost_ns = static_cast<std::int64_t>(sums.PerStep(lost));
  cause.without = std::move(without);
  const std::string who = in_turn.Who(input, cause.ranks.size());
  cause.what = fmt::format(
      "calls that launch work take up to {} on {} where {} is usual: {} a step",
      TimeText(static_cast<double>(longest)), who.empty() ? WhoText(input, cause.ranks) + "," : who,
      TimeText(static_cast<double>(usual)), TimeText(static_cast<double>(*cause.lost_ns)));
  return cause;
}

}  // namespace

const Rule& SlowLaunchesRule() {
  static const Rule kRule{
      .id = "slow-launches",
      .summary = "some launch calls take far longer than the others",
      .tier = Tier::kExposed,
      .takes = Takes::kLaunching,
      .needs = RuleNeeds::kDevice,
      .find = FindSlowLaunches,
      .why =
          "calls of 200 us and more that take at least 20 times what most launch calls do, those "
          "of graphs left out; replayed with each as long as usual",
      .recommendation =
          "See what holds the call up: kernels whose code is loaded at their first use (warm up, "
          "CUDA_MODULE_LOADING=EAGER), a lock of the driver that another thread or program has "
          "(allocations, nvidia-smi and other monitors, a second process on the device), or a "
          "thread that gets no core (cores of the job, limits of its container; rankscope-agent "
          "records that beside a trace).",
      .command = "rankscope table launches TRACES",
  };
  return kRule;
}

}  // namespace rankscope
