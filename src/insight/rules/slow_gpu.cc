// slow-gpu: the device of a rank runs the same kernels slower than its peers'.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "analysis/telemetry/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/evidence/peers/throttled_devices.h"
#include "insight/evidence/setting/device_models.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindSlowGpu(const RuleInput& input) {
  const std::vector<std::uint32_t>& slow = input.Shared<ThrottledDevices>().others;
  // Half of all ranks, or those on another model, are no devices that broke.
  if (slow.empty() || 2 * slow.size() >= input.ranks() || AreOfOtherModels(input, slow))
    return std::nullopt;
  // Some of a half that is slow as a whole: slow-kernels tells of all of them.
  const std::vector<std::uint32_t> beyond = RanksBeyond(input, Beyond::kKernels);
  if (beyond.size() > slow.size() && 2 * beyond.size() >= input.ranks() &&
      std::includes(beyond.begin(), beyond.end(), slow.begin(), slow.end()))
    return std::nullopt;
  const PeerSpeed sum = SumOf(input.Shared<SlowDevices>().speeds, slow);
  Cause cause = CauseOfSlowDevices(input, slow);
  TellClocks(input, cause);
  cause.what =
      fmt::format("the device{} of {} run{} the same kernels {:.2f}x slower than {} peers",
                  slow.size() == 1 ? "" : "s", WhoText(input, slow), slow.size() == 1 ? "s" : "",
                  sum.own_ns / sum.typical_ns, slow.size() == 1 ? "its" : "their");
  return cause;
}

constexpr std::array<Advice, 2> kSlowGpuAdvice = {{
    {[](const Setting& of) { return of.IsAmd(); },
     "Look at clocks, throttle status, temperature, power cap and RAS errors of that device "
     "(amd-smi metric --clock --power --temperature --ecc; rocm-smi -a); drain the host and "
     "rerun elsewhere. If nothing else runs on it, it should be replaced."},
    {[](const Setting& of) { return of.vendor == Setting::Vendor::kHuawei; },
     "Look at frequency, temperature, power and health of that device (npu-smi info -t common, "
     "-t health); drain the host and rerun elsewhere. If nothing else runs on it, it should be "
     "replaced."},
}};

}  // namespace

const Rule& SlowGpuRule() {
  static const Rule kRule{
      .id = "slow-gpu",
      .summary = "one rank's device runs the same kernels slower",
      .tier = Tier::kRoot,
      .takes = Takes::kSlowerKernels,
      .tables = {&TelemetryByRankAnalysis()},
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindSlowGpu,
      .why =
          "kernels of one name, launched by the same op at the same place of the step with inputs "
          "of the same shapes, compared with the median of the ranks that do the same work",
      .recommendation =
          "Look at clocks, throttle reasons, temperature, power cap and ECC of that device "
          "(nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,ECC); drain the host and rerun elsewhere. If "
          "nothing else runs on it, it should be replaced.",
      .command = "rankscope table kernels_by_rank TRACES",
      .advice = kSlowGpuAdvice,
  };
  return kRule;
}

}  // namespace rankscope
