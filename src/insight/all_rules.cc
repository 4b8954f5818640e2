#include "insight/all_rules.h"

#include <algorithm>
#include <array>

#include "insight/rules/rules.h"

namespace rankscope {

std::span<const Rule* const> AllRules() {
  // A line each, however many they are.
  // clang-format off
  static const std::array kRules = {
      &PowerThrottleRule(),
      &SlowGpuRule(),
      &SlowingDevicesRule(),
      &CpuContentionRule(),
      &SlowHostRule(),
      &DataStragglerRule(),
      &DataStarvationRule(),
      &GcPauseRule(),
      &CheckpointStallRule(),
      &RecompilationRule(),
      &NanChecksRule(),
      &BlockingLaunchesRule(),
      &HostSyncRule(),
      &UnusedParametersRule(),
      &OptimizerOnHostRule(),
      &GraphBreaksRule(),
      &AllocatorThrashRule(),
      &MemoryPressureRule(),
      &PageableCopyRule(),
      &SmallCopiesRule(),
      &CopiesToHostRule(),
      &SlowLinkRule(),
      &NetworkJitterRule(),
      &ExposedCommunicationRule(),
      &ExposedTransferRule(),
      &SmallCollectivesRule(),
      &SlowCollectivesRule(),
      &RedundantCollectivesRule(),
      &BarrierSyncRule(),
      &GradSyncRepeatedRule(),
      &ShardingImbalanceRule(),
      &ExpertImbalanceRule(),
      &SequenceImbalanceRule(),
      &PipelineStageImbalanceRule(),
      &PipelineBubbleRule(),
      &NoTensorCoresRule(),
      &AlgorithmSearchRule(),
      &FewBlocksRule(),
      &CommunicationContentionRule(),
      &LowRooflineRule(),
      &LowBandwidthRule(),
      &LayoutConversionRule(),
      &CostlyOpRule(),
      &DoublePrecisionRule(),
      &GrowingCatRule(),
      &GrowingStepsRule(),
      &RedundantCopiesRule(),
      &RecomputationRule(),
      &RepeatedBackwardRule(),
      &UnusedForwardRule(),
      &UnfusedOptimizerRule(),
      &DenseEmbeddingGradientsRule(),
      &LaunchBoundRule(),
      &UnfusedAttentionRule(),
      &UnfusedLossRule(),
      &SlowAttentionRule(),
      &UnfusedElementwiseRule(),
      &UnderusedGpuRule(),
      &PrefillStallsRule(),
      &MemoryLeakRule(),
      &AllocationsKeptRule(),
      &UnevenDevicesRule(),
      &SlowKernelsRule(),
      &UnevenWorkRule(),
      &SlowCopiesRule(),
      &RankHostWorkRule(),
      &OutlierStepRule(),
      &ThreadWaitRule(),
      &HostWorkRule(),
      &SlowLaunchesRule(),
      &ExposedCopiesRule(),
      &UnexplainedRule(),
  };
  // clang-format on
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

}  // namespace rankscope
