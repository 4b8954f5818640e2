#include "insight/rule.h"

#include <algorithm>
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
      &PowerThrottleRule(),     &SlowGpuRule(),
      &CpuContentionRule(),     &SlowHostRule(),
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
      &UnderusedGpuRule(),      &MemoryLeakRule(),
  };
  return kRules;
}

const Rule* RuleOf(std::string_view id) {
  for (const Rule* rule : AllRules()) {
    if (rule->id == id) return rule;
  }
  return nullptr;
}

std::vector<const Analysis*> TablesOfRules() {
  std::vector<const Analysis*> tables;
  for (const Rule* rule : AllRules()) {
    for (const Analysis* table : rule->tables) {
      if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.push_back(table);
    }
  }
  return tables;
}

std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause) {
  if (cause.gain) return cause.gain;
  if (cause.without && input.fidelity().refused.empty()) return std::nullopt;
  if (!cause.lost_ns) return std::nullopt;
  return std::min(1.0, static_cast<double>(*cause.lost_ns) / std::max(1.0, input.step_ns()));
}

}  // namespace rankscope
