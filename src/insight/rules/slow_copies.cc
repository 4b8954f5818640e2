// slow-copies: copies take longer on some ranks.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Copies in the counted steps, by rank.
std::vector<std::int64_t> CopiesOfRanks(const RuleInput& input) {
  std::vector<std::int64_t> copies(input.ranks(), 0);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCopy) ++copies[input.RankOf(node)];
  });
  return copies;
}

// How many more these ranks make than the middle one of the others, in all, in the mean; 0 where
// that is less than a tenth of them: then it is the same copies that take longer.
std::int64_t CopiesMore(const RuleInput& input, const std::vector<std::uint32_t>& ranks) {
  const std::vector<std::int64_t> copies = CopiesOfRanks(input);
  std::vector<std::int64_t> others;
  std::int64_t own = 0;
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    if (std::binary_search(ranks.begin(), ranks.end(), rank)) {
      own += copies[rank];
    } else {
      others.push_back(copies[rank]);
    }
  }
  const std::int64_t mean = own / static_cast<std::int64_t>(ranks.size());
  const std::int64_t more = mean - MedianOf(others);
  return 10 * more > mean ? more : 0;
}

std::optional<Cause> FindSlowCopies(const RuleInput& input) {
  const std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kCopies);
  if (ranks.empty()) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kCopies, ranks);
  const LossWords loss = LossOf(input, cause);
  cause.what =
      fmt::format("copies take {} longer on {} than on the other ranks {}", loss.time,
                  WhoText(input, ranks), cause.steps.empty() ? InEveryStepText(input) : loss.when);
  if (const std::int64_t more = CopiesMore(input, ranks); more > 0) {
    cause.what = fmt::format(
        "{} make{} {} in {} that the other ranks do not, {} {}", WhoText(input, ranks),
        ranks.size() == 1 ? "s" : "", CountText(static_cast<double>(more), "copy"),
        input.counted().size() == 1 ? "the step" : fmt::format("{} steps", input.counted().size()),
        loss.time, loss.when);
    cause.recommendation =
        "See what copies there (its place and steps): a checkpoint, a log, an evaluation or "
        "statistics of that rank. Do it less often, from pinned memory (non_blocking=True) beside "
        "the next step, or divide it over all ranks (torch.distributed.checkpoint).";
  }
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
      .find = FindSlowCopies,
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
