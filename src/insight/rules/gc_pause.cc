// gc-pause: Python stops for garbage collection.
#include "insight/evidence/host_work/collector_pauses.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindGcPause(const RuleInput& input) {
  return CauseOfStalls(
      input, input.Shared<CollectorPauses>().stalls(),
      {"stops for Python's garbage collector", "stop for Python's garbage collector"});
}

}  // namespace

const Rule& GcPauseRule() {
  static const Rule kRule{
      .id = "gc-pause",
      .summary = "Python stops for garbage collection",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .find = FindGcPause,
      .why =
          "frames of the collector; and, where stacks were recorded, stretches of the main thread "
          "in "
          "no frame, op or range, far longer than the same stretch in other steps and on other "
          "ranks",
      .recommendation =
          "Call gc.collect(); gc.freeze() after start-up, gc.disable() in the loop, and collect on "
          "all ranks in the same step, every few hundred steps.",
      .command = "rankscope table critical_path_events TRACES",
      .shown_in = {"step_spread"},
  };
  return kRule;
}

}  // namespace rankscope
