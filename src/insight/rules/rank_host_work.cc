// rank-host-work: the host of some ranks does what the others' do not, or takes longer for it.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/rank_excess.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindRankHostWork(const RuleInput& input) {
  if (input.fidelity().MistakesWorks()) return std::nullopt;
  const std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kHost);
  if (ranks.empty()) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kHost, ranks);
  const LossWords loss = LossOf(input, cause);
  cause.what =
      fmt::format("the host of {} works {} longer than its peers' {}", WhoText(input, ranks),
                  loss.time, cause.steps.empty() ? InEveryStepText(input) : loss.when);
  // A stall of some steps for which no frame stands may be the collector.
  if (!cause.steps.empty() && cause.places.empty() && !input.graph().HasFrames())
    cause.what += "; it could be Python's garbage collector: no stacks were recorded";
  return cause;
}

}  // namespace

const Rule& RankHostWorkRule() {
  static const Rule kRule{
      .id = "rank-host-work",
      .summary = "the host of some ranks does more than the others'",
      .tier = Tier::kBeyondPeers,
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindRankHostWork,
      .why =
          "time of the host outside of waits, loaders and allocators, compared at each place of "
          "the "
          "step with the median of the other ranks that do the same work",
      .recommendation =
          "Look at what runs there: logging, metrics, saving, a service that is asked. Do it on "
          "another "
          "thread, less often, or outside of the step; on all ranks at once where it must be. "
          "Where "
          "no line is named, record stacks (with_stack=True, or rankscope-agent's CPU samples).",
      .command = "rankscope table critical_path_events TRACES",
  };
  return kRule;
}

}  // namespace rankscope
