// rank-host-work: the host of some ranks does what the others' do not, or takes longer for it.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/copies/copy_direction.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Whether other ranks have the range, too: then it says where in the step the host is, and not what
// it does there.
bool IsOnOthers(const RuleInput& input, const Cause& cause, std::string_view range) {
  const JobGraph& graph = input.graph();
  std::vector<bool> is_named(graph.kinds().size(), false);
  for (std::size_t kind = 0; kind < is_named.size(); ++kind)
    is_named[kind] = graph.kinds()[kind].name == range;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (is_named[graph.nodes().KindOf(node)] &&
        !std::ranges::binary_search(cause.ranks, input.RankOf(node)))
      return true;
  }
  return false;
}

// A stall of half of the steps, or fewer, mostly without an op, a call, a frame, or a range of its
// own: it may be the collector.
bool MayBeCollector(const RuleInput& input, const Cause& cause) {
  if (cause.steps.empty() || 2 * cause.steps.size() > input.counted().size() ||
      input.graph().HasFrames())
    return false;
  std::int64_t unnamed_ns = 0, all_ns = 0;
  for (const Cause::Place& place : cause.places) {
    all_ns += place.ns;
    if (place.key == "annotation" && IsOnOthers(input, cause, place.op)) unnamed_ns += place.ns;
  }
  return 2 * unnamed_ns >= all_ns;
}

// What the same ranks copy to their hosts in the same steps, and their peers do not; 0 where that
// is nothing.
std::int64_t CopiedToHost(const RuleInput& input, const Cause& cause) {
  if (cause.steps.empty() || RanksBeyond(input, Beyond::kCopies) != cause.ranks) return 0;
  const Cause copies = CauseOfExcess(input, Beyond::kCopies, cause.ranks);
  if (copies.steps != cause.steps) return 0;
  std::int64_t to_host = 0, all = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCopy || !std::ranges::binary_search(cause.ranks, input.RankOf(node)) ||
        std::ranges::find(cause.steps, input.graph().StepOf(node)) == cause.steps.end())
      return;
    const std::int64_t ns = input.graph().nodes().DurationOf(node);
    all += ns;
    to_host += DirectionOf(kind.name).direction == "DtoH" ? ns : 0;
  });
  return 2 * to_host > all ? copies.lost_ns.value_or(0) : 0;
}

std::optional<Cause> FindRankHostWork(const RuleInput& input) {
  if (input.fidelity().MistakesWorks()) return std::nullopt;
  const std::vector<std::uint32_t> ranks = RanksBeyond(input, Beyond::kHost);
  if (ranks.empty()) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kHost, ranks);
  const LossWords loss = LossOf(input, cause);
  const bool is_one = ranks.size() == 1;
  cause.what =
      fmt::format("the host{} of {} work{} {} longer than those of {} peers {}", is_one ? "" : "s",
                  WhoText(input, ranks), is_one ? "s" : "", loss.time, is_one ? "its" : "their",
                  cause.steps.empty() ? InEveryStepText(input) : loss.when);
  constexpr std::int64_t kMuchOfIt = 5;  // a fifth of what the host does
  const std::int64_t copied = CopiedToHost(input, cause);
  if (copied > 0 && kMuchOfIt * copied >= cause.lost_ns.value_or(0)) {
    cause.what += "; it copies data to the host there that its peers do not copy, as to save it";
    cause.recommendation =
        "If it is a checkpoint: save asynchronously (torch.distributed.checkpoint.async_save), and "
        "divided over all ranks, less often. Statistics and logs: on all ranks' devices first, and "
        "every hundredth step. Stacks (with_stack=True, or rankscope-agent's CPU samples) show "
        "which it is.";
  } else if (MayBeCollector(input, cause)) {
    cause.what += "; it could be Python's garbage collector: no stacks were recorded";
    cause.recommendation =
        "It could be Python's garbage collector, or logging, metrics, saving. Record stacks "
        "(with_stack=True, or rankscope-agent's CPU samples) to see which. Against the collector: "
        "gc.freeze() after the start, gc.disable() and gc.collect() at the same step on all ranks.";
  }
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
      .shown_in = {"host_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
