// blocking-launches: every launch waits for its kernel (CUDA_LAUNCH_BLOCKING).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "graph/graph.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/host_work/launches.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Kernels whose call would be over long before they are: of those shorter ones are over while an
// ordinary call returns.
constexpr std::int64_t kTellingNs = 20'000;
constexpr std::size_t kFewestTelling = 10;  // on a rank
constexpr double kNearlyAll = 0.95;

// Those of one kernel: of a graph's launch it is not known which kernel it would wait for.
std::vector<Launch> LaunchesOfOne(const RuleInput& input) {
  std::vector<Launch> launches = input.Shared<LaunchesOfWork>().all;
  std::vector<std::uint8_t> launched(input.graph().nodes().size(), 0);  // by call, up to 2
  for (const Launch& launch : launches)
    launched[launch.call] = static_cast<std::uint8_t>(std::min(launched[launch.call] + 1, 2));
  std::erase_if(launches, [&](const Launch& launch) { return launched[launch.call] > 1; });
  return launches;
}

bool Blocks(const RuleInput& input, const Launch& launch) {
  const Replay& now = input.now();
  return now.BeginOf(launch.call) <= now.BeginOf(launch.work) + kClockToleranceNs &&
         now.EndOf(launch.call) >= now.EndOf(launch.work) - kClockToleranceNs;
}

// Whether nearly all calls of a rank wait whose kernels are long enough to tell; by rank.
std::vector<bool> RanksThatBlock(const RuleInput& input, const std::vector<Launch>& launches) {
  std::vector<std::size_t> telling(input.ranks(), 0), blocking(input.ranks(), 0);
  for (const Launch& launch : launches) {
    if (input.graph().KindOf(launch.work).work != Work::kCompute ||
        input.graph().nodes().DurationOf(launch.work) < kTellingNs)
      continue;
    const std::uint32_t rank = input.RankOf(launch.call);
    ++telling[rank];
    if (Blocks(input, launch)) ++blocking[rank];
  }
  std::vector<bool> block(input.ranks(), false);
  for (std::size_t rank = 0; rank < block.size(); ++rank)
    block[rank] =
        telling[rank] >= kFewestTelling &&
        static_cast<double>(blocking[rank]) >= kNearlyAll * static_cast<double>(telling[rank]);
  return block;
}

std::optional<Cause> FindBlockingLaunches(const RuleInput& input) {
  const std::vector<Launch> launches = LaunchesOfOne(input);
  const std::vector<bool> block = RanksThatBlock(input, launches);
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const Launch& launch : launches) {
    if (!block[input.RankOf(launch.call)] || !Blocks(input, launch)) continue;
    const std::int64_t call_ns = input.graph().nodes().DurationOf(launch.call);
    const std::int64_t waits_ns = std::min(call_ns, input.graph().nodes().DurationOf(launch.work));
    without.SetDuration(launch.call, call_ns - waits_ns);
    sums.AddShown(launch.call, launch.work, static_cast<double>(waits_ns));
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const CountWords count = CountAStep(sums.CountPerStep(), "call");
  cause.what = fmt::format(
      "each launch waits until its kernel is over, as with CUDA_LAUNCH_BLOCKING=1: {} wait{} {} "
      "in all",
      count.text, count.verb_ending, TimeText(sums.LostPerStep()));
  return cause;
}

constexpr std::array<Advice, 1> kBlockingLaunchesAdvice = {{
    {[](const Setting& of) { return of.IsAmd(); },
     "Unset HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL and AMD_SERIALIZE_COPY where the job is "
     "started: shell, launcher, image, os.environ. They are for debugging."},
}};

}  // namespace

const Rule& BlockingLaunchesRule() {
  static const Rule kRule{
      .id = "blocking-launches",
      .summary = "every launch waits for its kernel",
      .tier = Tier::kRoot,
      .takes = Takes::kSync,
      .needs = RuleNeeds::kDevice,
      .find = FindBlockingLaunches,
      .why =
          "calls that launch kernels of 20 us and more return when these are over, nearly all on "
          "these ranks; replayed with calls that are shorter by what their kernels take",
      .recommendation =
          "Unset CUDA_LAUNCH_BLOCKING where the job is started: shell, launcher, image, "
          "os.environ. It is for debugging: errors are told at the call that made them.",
      .command = "rankscope table launches TRACES",
      .advice = kBlockingLaunchesAdvice,
  };
  return kRule;
}

}  // namespace rankscope
