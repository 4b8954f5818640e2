// slow-gpu: the device of a rank runs the same kernels slower than its peers'.
#include <fmt/core.h>

#include <algorithm>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

struct Sums {
  double own = 0, typical = 0;  // of kernels that peers run, too
  double slower = 0;            // of own, in kernels slower than typical by half of kSlowDevice
  std::size_t places = 0, slower_places = 0;
};

std::vector<Sums> SumsOfRanks(const RuleInput& input) {
  std::vector<Sums> ranks(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::int64_t usual = input.same_work().duration_ns[node];
    if (kind.work != Work::kCompute || usual <= 0) return;
    Sums& sums = ranks[input.RankOf(node)];
    const auto own = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const auto typical = static_cast<double>(usual);
    sums.own += own;
    sums.typical += typical;
    ++sums.places;
    if (own <= typical * (1 + (kSlowDevice - 1) / 2)) return;
    sums.slower += own;
    ++sums.slower_places;
  });
  return ranks;
}

std::vector<std::uint32_t> SlowRanks(const RuleInput& input, const std::vector<Sums>& ranks) {
  return RanksThat(input, [&](std::uint32_t rank) {
    const Sums& sums = ranks[rank];
    return input.peers().SizeFor(rank) > 1 && sums.own > kSlowDevice * sums.typical &&
           sums.slower > kSlowDeviceShare * sums.own &&
           static_cast<double>(sums.slower_places) >
               kSlowDevicePlaces * static_cast<double>(sums.places);
  });
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const std::vector<Sums> ranks = SumsOfRanks(input);
  const auto typical_of = [&](NodeId node) { return input.same_work().duration_ns[node]; };
  const std::vector<std::uint32_t> slow = SlowRanks(input, ranks);
  if (slow.empty()) return;
  Cause cause;
  cause.id = "slow-gpu";
  cause.tier = Tier::kRoot;
  cause.ranks = slow;
  Scenario without = input.recorded();
  double own = 0, typical = 0;
  std::vector<NodeId> nodes;
  for (const std::uint32_t rank : slow) {
    own += ranks[rank].own;
    typical += ranks[rank].typical;
    cause.evidence.push_back(
        {{"rank", fmt::format("{}", input.across().collectives().ranks()[rank].rank)},
         {"compute per step",
          TimeText(ranks[rank].own / static_cast<double>(input.counted().size()))},
         {"the same kernels on its peers",
          TimeText(ranks[rank].typical / static_cast<double>(input.counted().size()))}});
  }
  // Steps that do not count are cured, too: they may hold up those that do.
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!std::binary_search(slow.begin(), slow.end(), input.RankOf(node))) continue;
    if (input.graph().KindOf(node).work != Work::kCompute) continue;
    const std::int64_t target = typical_of(node);
    if (target == Typical::kUnknown) {
      without.SetDuration(
          node, static_cast<std::int64_t>(
                    static_cast<double>(input.graph().nodes()[node].duration_ns) * typical / own));
    } else {
      without.SetDuration(node, target);
      if (input.graph().nodes()[node].duration_ns > target) nodes.push_back(node);
    }
  }
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(
      (own - typical) / static_cast<double>(input.counted().size() * slow.size()));
  cause.what =
      fmt::format("the device{} of {} run{} the same kernels x{:.2f} as long as {} peers'",
                  slow.size() == 1 ? "" : "s", WhoText(input, slow), slow.size() == 1 ? "s" : "",
                  own / typical, slow.size() == 1 ? "its" : "their");
  cause.why =
      "kernels of one name, launched by the same op at the same place of the step with inputs of "
      "the same shapes, compared with the median of the ranks that do the same work";
  cause.recommendation =
      "Look at clocks, throttle reasons, temperature, power cap and ECC of that device "
      "(nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,ECC); drain the host and rerun elsewhere. If "
      "nothing else runs on it, it should be replaced.";
  cause.command = "rankscope table kernels_by_rank TRACES";
  cause.evidence_table = "kernels_by_rank";
  causes.push_back(std::move(cause));
}

}  // namespace

std::vector<std::uint32_t> SlowDevices(const RuleInput& input) {
  return SlowRanks(input, SumsOfRanks(input));
}

const Rule& SlowGpuRule() {
  static const Rule kRule{.ids = {"slow-gpu"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
