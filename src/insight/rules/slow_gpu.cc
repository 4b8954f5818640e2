// slow-gpu: the device of a rank runs the same kernels slower than its peers'.
#include <fmt/core.h>

#include <algorithm>

#include "insight/cause_tools.h"
#include "insight/evidence/peer_speed.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const auto& devices = input.Shared<SlowDevices>();
  const std::vector<std::uint32_t>& slow = devices.ranks;
  if (slow.empty()) return std::nullopt;
  const PeerSpeed sum = SumOf(devices.speeds, slow);
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  // Steps that do not count are cured, too: they may hold up those that do.
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(slow.begin(), slow.end(), input.RankOf(node))) continue;
    if (input.graph().KindOf(node).work != Work::kCompute) continue;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    const std::int64_t target = input.same_work().duration_ns[node];
    if (target == Typical::kUnknown) {
      without.SetDuration(
          node, static_cast<std::int64_t>(static_cast<double>(now) * sum.typical_ns / sum.own_ns));
    } else {
      without.SetDuration(node, target);
      if (now > target) nodes.push_back(node);
    }
  }
  Cause cause;
  cause.ranks = slow;
  TellWhere(input, nodes, cause);
  TellSpeed(input, devices.speeds, "compute per step", "the same kernels on its peers", cause);
  cause.evidence_table = "kernels_by_rank";
  cause.without = std::move(without);
  cause.what =
      fmt::format("the device{} of {} run{} the same kernels x{:.2f} as long as {} peers'",
                  slow.size() == 1 ? "" : "s", WhoText(input, slow), slow.size() == 1 ? "s" : "",
                  sum.own_ns / sum.typical_ns, slow.size() == 1 ? "its" : "their");
  return cause;
}

}  // namespace

const Rule& SlowGpuRule() {
  static const Rule kRule{
      .id = "slow-gpu",
      .tier = Tier::kRoot,
      .needs = RuleNeeds::kSeveralRanks,
      .find = Find,
      .why =
          "kernels of one name, launched by the same op at the same place of the step with inputs "
          "of the same shapes, compared with the median of the ranks that do the same work",
      .recommendation =
          "Look at clocks, throttle reasons, temperature, power cap and ECC of that device "
          "(nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,ECC); drain the host and rerun elsewhere. If "
          "nothing else runs on it, it should be replaced.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
