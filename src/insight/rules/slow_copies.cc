// slow-copies: copies take longer on some ranks.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/rank_excess.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kCopies);
  if (ranks.empty()) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kCopies, ranks);
  cause.what = fmt::format("copies take {} a step longer on {} than on the other ranks",
                           TimeText(static_cast<double>(*cause.lost_ns)), WhoText(input, ranks));
  return cause;
}

}  // namespace

const Rule& SlowCopiesRule() {
  static const Rule kRule{
      .id = "slow-copies",
      .summary = "copies of some ranks take longer than their peers'",
      .tier = Tier::kBeyondPeers,
      .takes = Takes::kCopies,
      .needs = RuleNeeds::kSeveralRanks,
      .find = Find,
      .why =
          "copies at the same place of the step, compared with the median of the other ranks that "
          "do "
          "the same work",
      .recommendation =
          "Bind the process and its memory to the NUMA node of its device (numactl --cpunodebind "
          "--membind), look at the width and speed of its PCIe link (nvidia-smi -q, section PCI), "
          "and "
          "keep the buffers pinned. `rankscope table copy_bandwidth` has the rates of each rank.",
      .command = "rankscope table copy_bandwidth TRACES",
  };
  return kRule;
}

}  // namespace rankscope
