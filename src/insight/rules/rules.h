// The rules, each in the file of its id.
#pragma once

#include "insight/rules/rule.h"

namespace rankscope {

// Outlier ranks.
const Rule& PowerThrottleRule();
const Rule& PrefillStallsRule();
const Rule& SlowGpuRule();
const Rule& SlowingDevicesRule();
const Rule& CpuContentionRule();
const Rule& SlowHostRule();
const Rule& DataStragglerRule();

// What hosts do.
const Rule& DataStarvationRule();
const Rule& GcPauseRule();
const Rule& CheckpointStallRule();
const Rule& RecompilationRule();
const Rule& RecomputationRule();
const Rule& RepeatedBackwardRule();
const Rule& UnusedForwardRule();
const Rule& UnexplainedRule();
const Rule& BlockingLaunchesRule();
const Rule& HostSyncRule();
const Rule& UnusedParametersRule();
const Rule& OptimizerOnHostRule();
const Rule& GraphBreaksRule();
const Rule& AllocatorThrashRule();
const Rule& MemoryPressureRule();
const Rule& MemoryLeakRule();
const Rule& AllocationsKeptRule();
const Rule& PageableCopyRule();
const Rule& SmallCopiesRule();
const Rule& CopiesToHostRule();
const Rule& NanChecksRule();

// Communication.
const Rule& SlowLinkRule();
const Rule& NetworkJitterRule();
const Rule& ExposedCommunicationRule();
const Rule& ExposedTransferRule();
const Rule& SlowCollectivesRule();
const Rule& SmallCollectivesRule();
const Rule& RedundantCollectivesRule();
const Rule& BarrierSyncRule();
const Rule& GradSyncRepeatedRule();

// How work is divided.
const Rule& ShardingImbalanceRule();
const Rule& ExpertImbalanceRule();
const Rule& SequenceImbalanceRule();
const Rule& PipelineStageImbalanceRule();
const Rule& PipelineBubbleRule();

// Kernels.
const Rule& NoTensorCoresRule();
const Rule& LowRooflineRule();
const Rule& LowBandwidthRule();
const Rule& FewBlocksRule();
const Rule& AlgorithmSearchRule();
const Rule& CommunicationContentionRule();
const Rule& LayoutConversionRule();
const Rule& CostlyOpRule();
const Rule& DoublePrecisionRule();
const Rule& RedundantCopiesRule();
const Rule& GrowingCatRule();
const Rule& GrowingStepsRule();
const Rule& UnfusedOptimizerRule();
const Rule& DenseEmbeddingGradientsRule();
const Rule& LaunchBoundRule();
const Rule& UnfusedAttentionRule();
const Rule& UnfusedLossRule();
const Rule& SlowAttentionRule();
const Rule& UnfusedElementwiseRule();
const Rule& UnderusedGpuRule();

// The rest, by ranks, place and steps (general ids).
const Rule& UnevenDevicesRule();
const Rule& SlowKernelsRule();
const Rule& UnevenWorkRule();
const Rule& SlowCopiesRule();
const Rule& RankHostWorkRule();
const Rule& OutlierStepRule();
const Rule& ThreadWaitRule();
const Rule& HostWorkRule();
const Rule& SlowLaunchesRule();
const Rule& ExposedCopiesRule();

}  // namespace rankscope
