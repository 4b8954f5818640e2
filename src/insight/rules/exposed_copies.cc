// exposed-copies: copies between host and device hold up computing.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "insight/cause_tools.h"
#include "insight/evidence/node_sums.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

constexpr double kCopiesOfABatch = 4;

bool CrossesTheBus(const NodeKind& kind) {
  return kind.work == Work::kCopy &&
         (Contains(kind.name, "HtoD") || Contains(kind.name, "DtoH") ||
          Contains(kind.name, "HostToDevice") || Contains(kind.name, "DeviceToHost"));
}

std::optional<Cause> Find(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!CrossesTheBus(graph.KindOf(node)) || graph.StepOf(node) == kNoStep) continue;
    without.Overlap(node);
    sums.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
  }
  // The copies of a batch are what every step begins with.
  const double share = sums.LostPerStep() / std::max(1.0, input.step_ns());
  if (sums.empty() || (sums.CountPerStep() <= kCopiesOfABatch && share < kMediumGain))
    return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what =
      fmt::format("copies between host and device hold up computing: {} a step, {:.0f} of them",
                  TimeText(sums.LostPerStep()), sums.CountPerStep());
  return cause;
}

}  // namespace

const Rule& ExposedCopiesRule() {
  static const Rule kRule{
      .id = "exposed-copies",
      .summary = "copies between host and device that nothing hides",
      .tier = Tier::kExposed,
      .takes = Takes::kCopies,
      .needs = RuleNeeds::kDevice,
      .find = Find,
      .why =
          "replayed with these copies on a stream of their own, so that nothing queues behind them",
      .recommendation =
          "Copy on a stream of its own and ahead of use: pinned memory with non_blocking=True, the "
          "next "
          "batch or layer prefetched while this one computes; offload less where the link cannot "
          "keep up.",
      .command = "rankscope table copies TRACES",
  };
  return kRule;
}

}  // namespace rankscope
