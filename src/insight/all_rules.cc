#include "insight/all_rules.h"

#include <algorithm>
#include <array>

#include "insight/evidence/device_idle.h"
#include "insight/rules/rules.h"

namespace rankscope {

std::span<const Rule* const> AllRules() {
  static const std::array kRules = {
      &PowerThrottleRule(),
      &SlowGpuRule(),
      &CpuContentionRule(),
      &SlowHostRule(),
      &DataStragglerRule(),
      &DataStarvationRule(),
      &GcPauseRule(),
      &CheckpointStallRule(),
      &RecompilationRule(),
      &NanChecksRule(),
      &HostSyncRule(),
      &UnusedParametersRule(),
      &OptimizerOnHostRule(),
      &GraphBreaksRule(),
      &AllocatorThrashRule(),
      &MemoryPressureRule(),
      &PageableCopyRule(),
      &CopiesToHostRule(),
      &SlowLinkRule(),
      &NetworkJitterRule(),
      &ExposedCommunicationRule(),
      &SmallCollectivesRule(),
      &RedundantCollectivesRule(),
      &BarrierSyncRule(),
      &GradSyncRepeatedRule(),
      &ShardingImbalanceRule(),
      &ExpertImbalanceRule(),
      &SequenceImbalanceRule(),
      &PipelineStageImbalanceRule(),
      &PipelineBubbleRule(),
      &NoTensorCoresRule(),
      &LowRooflineRule(),
      &LowBandwidthRule(),
      &LayoutConversionRule(),
      &CostlyOpRule(),
      &DoublePrecisionRule(),
      &GrowingCatRule(),
      &RedundantCopiesRule(),
      &RecomputationRule(),
      &UnfusedOptimizerRule(),
      &DenseEmbeddingGradientsRule(),
      &LaunchBoundRule(),
      &UnfusedAttentionRule(),
      &UnfusedElementwiseRule(),
      &UnderusedGpuRule(),
      &MemoryLeakRule(),
      &UnevenDevicesRule(),
      &SlowKernelsRule(),
      &UnevenWorkRule(),
      &SlowCopiesRule(),
      &RankHostWorkRule(),
      &OutlierStepRule(),
      &ThreadWaitRule(),
      &HostWorkRule(),
      &ExposedCopiesRule(),
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
  // What only keeps devices waiting gains no more than they wait.
  const bool is_of_devices = cause.takes == Takes::kSlowerKernels ||
                             cause.takes == Takes::kMoreWork || cause.takes == Takes::kKernels;
  const double most = is_of_devices ? 1 : input.Shared<DeviceIdle>().share;
  return std::min(most, static_cast<double>(*cause.lost_ns) / std::max(1.0, input.step_ns()));
}

}  // namespace rankscope
