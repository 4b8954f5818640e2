#include "insight/rule.h"

#include <array>

#include "insight/rules/rules.h"

namespace rankscope {

std::optional<Cause> CauseOf(const Rule& rule, const RuleInput& input) {
  std::optional<Cause> cause = rule.find(input);
  if (!cause) return cause;
  cause->id = rule.id;
  cause->tier = rule.tier;
  if (cause->why.empty()) cause->why = rule.why;
  if (cause->recommendation.empty()) cause->recommendation = rule.recommendation;
  if (cause->command.empty()) cause->command = rule.command;
  return cause;
}

std::span<const Rule* const> AllRules() {
  static const std::array kRules = {
      &SlowGpuRule(),           &SlowHostRule(),
      &DataStragglerRule(),     &DataStarvationRule(),
      &GcPauseRule(),           &CheckpointStallRule(),
      &RecompilationRule(),     &HostSyncRule(),
      &AllocatorThrashRule(),   &MemoryPressureRule(),
      &PageableCopyRule(),      &SlowLinkRule(),
      &NetworkJitterRule(),     &ExposedCommunicationRule(),
      &SmallCollectivesRule(),  &RedundantCollectivesRule(),
      &ShardingImbalanceRule(), &ExpertImbalanceRule(),
      &SequenceImbalanceRule(), &PipelineStageImbalanceRule(),
      &PipelineBubbleRule(),    &NoTensorCoresRule(),
      &LowRooflineRule(),       &RedundantCopiesRule(),
      &UnfusedOptimizerRule(),  &LaunchBoundRule(),
      &UnfusedAttentionRule(),  &UnfusedElementwiseRule(),
      &MemoryLeakRule(),
  };
  return kRules;
}

}  // namespace rankscope
