// gc-pause: Python stops for garbage collection.
#include <algorithm>

#include "insight/evidence/host_stalls.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  HostStalls pauses;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kGarbage) pauses.Add(node, 0);
    const std::int64_t usual = input.alike().DurationOf(node);
    if (kind.work != Work::kPython || usual == Typical::kUnknown) return;
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    const std::int64_t like = std::max<std::int64_t>(usual, 0);
    const double beyond = static_cast<double>(now - like);
    if (beyond >= kLeastPauseNs && beyond >= kPauseOfStep * input.step_ns() && now >= 3 * like)
      pauses.Add(node, like);
  });
  return CauseOfStalls(input, pauses,
                       "stops for a stretch in which no op runs, as Python's garbage collector "
                       "does");
}

}  // namespace

const Rule& GcPauseRule() {
  static const Rule kRule{
      .id = "gc-pause",
      .summary = "Python stops for garbage collection",
      .tier = Tier::kRoot,
      .find = Find,
      .why =
          "stretches of the main thread inside no op, far longer than the same stretch in other "
          "steps and on other ranks",
      .recommendation =
          "Call gc.collect(); gc.freeze() after start-up, gc.disable() in the loop, and collect on "
          "all ranks in the same step, every few hundred steps.",
      .command = "rankscope table critical_path_events TRACES",
  };
  return kRule;
}

}  // namespace rankscope
