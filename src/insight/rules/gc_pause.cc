// gc-pause: Python stops for garbage collection.
//
// Its frames tell it. Where stacks were recorded and none stands for a stall, nothing else ran, and
// the collector is what stops Python so: at some steps, on some ranks. Where none were recorded, a
// stall may be anything, and is told as what it is (rank-host-work, outlier-step).
#include <algorithm>
#include <set>
#include <tuple>

#include "insight/base/thresholds.h"
#include "insight/evidence/host_stalls.h"
#include "insight/evidence/host_stretches.h"
#include "insight/evidence/stretch_names.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

struct Pause {
  NodeId node;
  std::int64_t like_ns;
};

// Stretches without a frame, an op or a name, far longer than their like.
std::vector<Pause> NamelessPauses(const RuleInput& input) {
  std::vector<Pause> pauses;
  const JobGraph& graph = input.graph();
  const auto& names = input.Shared<StretchNames>();
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const std::int64_t usual = input.alike().DurationOf(node);
    if (kind.work != Work::kPython || usual == Typical::kUnknown || !names.Of(node).empty()) return;
    const std::int64_t now = graph.nodes()[node].duration_ns;
    const std::int64_t like = std::max<std::int64_t>(usual, 0);
    const auto beyond = static_cast<double>(now - like);
    if (beyond >= kLeastPauseNs && beyond >= kPauseOfStep * input.step_ns() && now >= 3 * like)
      pauses.push_back({node, like});
  });
  return pauses;
}

// Not in every step, and not at one place of one step on all ranks: that is the program.
bool AreAtRandom(const RuleInput& input, const std::vector<Pause>& pauses) {
  std::set<std::uint32_t> steps;
  std::set<std::tuple<std::uint32_t, std::uint32_t>> at;  // place, step
  std::set<std::uint32_t> ranks;
  for (const Pause& pause : pauses) {
    if (!input.Counts(pause.node)) continue;
    steps.insert(input.graph().StepOf(pause.node));
    at.emplace(input.places().PlaceOf(pause.node), input.graph().StepOf(pause.node));
    ranks.insert(input.RankOf(pause.node));
  }
  const bool on_all_at_once = input.ranks() > 1 && ranks.size() == input.ranks() && at.size() == 1;
  return 2 * steps.size() <= input.counted().size() && !on_all_at_once;
}

std::optional<Cause> Find(const RuleInput& input) {
  HostStalls pauses;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kGarbage) pauses.Add(node, 0);
  });
  if (input.graph().HasFrames()) {
    const std::vector<Pause> nameless = NamelessPauses(input);
    if (AreAtRandom(input, nameless)) {
      for (const Pause& pause : nameless) pauses.Add(pause.node, pause.like_ns);
    }
  }
  return CauseOfStalls(
      input, pauses,
      {"stops for Python's garbage collector", "stop for Python's garbage collector"});
}

}  // namespace

const Rule& GcPauseRule() {
  static const Rule kRule{
      .id = "gc-pause",
      .summary = "Python stops for garbage collection",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .find = Find,
      .why =
          "frames of the collector; and, where stacks were recorded, stretches of the main thread "
          "in "
          "no frame, op or range, far longer than the same stretch in other steps and on other "
          "ranks",
      .recommendation =
          "Call gc.collect(); gc.freeze() after start-up, gc.disable() in the loop, and collect on "
          "all ranks in the same step, every few hundred steps.",
      .command = "rankscope table critical_path_events TRACES",
  };
  return kRule;
}

}  // namespace rankscope
