#include "training/list.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/across/analyses.h"
#include "analysis/captures/analyses.h"
#include "analysis/copies/analyses.h"
#include "analysis/counters/analyses.h"
#include "analysis/cpu/analyses.h"
#include "analysis/critical_path/analyses.h"
#include "analysis/device/analyses.h"
#include "analysis/graphs/analyses.h"
#include "analysis/host/analyses.h"
#include "analysis/kernels/analyses.h"
#include "analysis/kernels/kernels_by_name.h"
#include "analysis/launches/analyses.h"
#include "analysis/layout/analyses.h"
#include "analysis/memory/analyses.h"
#include "analysis/ops/analyses.h"
#include "analysis/ranks/analyses.h"
#include "analysis/roofline/analyses.h"
#include "analysis/snoop/analyses.h"
#include "analysis/stacks/analyses.h"
#include "analysis/steps/analyses.h"
#include "analysis/telemetry/analyses.h"
#include "base/nearest_name.h"
#include "hta/list.h"
#include "insight/findings.h"
#include "insight/replay_tables/blame.h"
#include "insight/replay_tables/path_over_ranks.h"
#include "insight/replay_tables/path_pieces.h"
#include "insight/replay_tables/replay_fidelity.h"
#include "insight/replay_tables/slack_over_ranks.h"
#include "insight/replay_tables/straggler_slowdown.h"
#include "insight/what_if/what_if.h"

namespace rankscope {

std::span<const Topic> TrainingTopics() {
  static const std::vector<Topic> kTopics = {
      {"Why it is slow",
       {&FindingsAnalysis(), &ContributionsAnalysis(), &GainsAnalysis(), &WhatIfAnalysis(),
        &PathOverRanksAnalysis(), &PathPiecesAnalysis(), &SlackOverRanksAnalysis(),
        &BlameAnalysis(), &LateArrivalsAnalysis(), &StragglerSlowdownAnalysis(),
        &ReplayFidelityAnalysis(), &NotEvaluatedAnalysis()}},
      {"The job and its steps",
       {&RecordingAnalysis(), &CapturesAnalysis(), &DataQualityAnalysis(), &RecordedWorkAnalysis(),
        &JobStepsAnalysis(), &StepSpreadAnalysis(), &StepPhasesAnalysis(), &StepTimesAnalysis(),
        &DeviceStepsAnalysis(), &JobBreakdownAnalysis(), &RankBreakdownAnalysis(),
        &TimeBreakdownAnalysis(), &PhasesAnalysis(), &HostBreakdownAnalysis(),
        &RankMetricsAnalysis(), &OverRanksAnalysis()}},
      {"The critical path",
       {&JobCriticalPathAnalysis(), &CriticalPathAnalysis(), &CriticalPathOpsAnalysis(),
        &CriticalPathModulesAnalysis(), &CriticalPathEventsAnalysis(), &SlackAnalysis()}},
      {"Layout, pipelines, experts",
       {&LayoutAnalysis(), &LayoutRanksAnalysis(), &ByLayoutAnalysis(), &PipelineAnalysis(),
        &PipelineStepsAnalysis(), &PipelineScheduleAnalysis(), &PipelinePassesAnalysis(),
        &ExpertLoadAnalysis(), &ExpertRanksAnalysis()}},
      {"Communication",
       {&ClocksAnalysis(), &CollectiveRanksAnalysis(), &CollectiveSizesAnalysis(),
        &ExposedCommunicationAnalysis(), &ExposedByRankAnalysis(), &ExposedByGroupAnalysis(),
        &PointToPointAnalysis(), &AllToAllAnalysis(), &CollectivesAnalysis(),
        &CollectiveMembersAnalysis(), &PointToPointMembersAnalysis(),
        &CollectiveTimelineAnalysis()}},
      {"Devices and kernels",
       {&OverlapAnalysis(), &UtilisationAnalysis(), &KernelClassesAnalysis(),
        &ClassOverlapAnalysis(), &KernelsByNameAnalysis(), &KernelStepsAnalysis(),
        &KernelsByRankAnalysis(), &KernelSketchesAnalysis(), &KernelPlacesAnalysis(),
        &KernelOutliersAnalysis(), &KernelSequencesAnalysis(), &StreamGapsAnalysis(),
        &IdleGapsAnalysis(), &UnknownGapsAnalysis(), &GraphsAnalysis(), &GraphOpsAnalysis(),
        &GraphNodesAnalysis()}},
      {"Launches and queues",
       {&LaunchesAnalysis(), &LaunchOutliersAnalysis(), &QueueLengthAnalysis(),
        &QueueLengthSeriesAnalysis()}},
      {"Ops, modules, lines of code",
       {&OpsAnalysis(), &OpsByShapeAnalysis(), &ModulesAnalysis(), &AnnotationsAnalysis(),
        &StacksAnalysis(), &LinesAnalysis(), &FlameGraphAnalysis(), &CpuStacksAnalysis(),
        &StepWorkAnalysis(), &ExecutionTraceOpsAnalysis()}},
      {"What the device could do",
       {&RooflineAnalysis(), &FlopUtilisationAnalysis(), &RecomputationAnalysis(),
        &DevicePeaksAnalysis(), &KernelCountersAnalysis(), &CounterRooflineAnalysis(),
        &SampledCountersAnalysis(), &SampledKernelsAnalysis()}},
      {"Copies and memory",
       {&CopiesAnalysis(), &CopyBandwidthAnalysis(), &MemsetsAnalysis(), &MemoryPeaksAnalysis(),
        &MemoryGrowthAnalysis(), &MemoryOverTimeAnalysis(), &MemoryAtPeakAnalysis(),
        &MemoryOutlivingAnalysis(), &AllocatorCallsAnalysis()}},
      {"Hosts and devices meanwhile",
       {&EnergyAnalysis(), &TelemetryByRankAnalysis(), &TelemetryAnalysis()}},
      {"Processes seen from outside",
       {&SnoopWindowsAnalysis(), &SnoopMemoryAnalysis(), &SnoopMemoryOverTimeAnalysis(),
        &SnoopAllocationsAnalysis(), &SnoopFailuresAnalysis(), &SnoopCallsAnalysis(),
        &SnoopRatesAnalysis(), &SnoopUsesAnalysis(), &SnoopThreadsAnalysis(),
        &SnoopWaitsAnalysis()}},
  };
  return kTopics;
}

std::span<const Analysis* const> AllAnalyses() {
  static const std::vector<const Analysis*> kAll = [] {
    std::vector<const Analysis*> all;
    for (const Topic& topic : TrainingTopics())
      all.insert(all.end(), topic.analyses.begin(), topic.analyses.end());
    all.insert(all.end(), hta::HtaAnalyses().begin(), hta::HtaAnalyses().end());
    return all;
  }();
  return kAll;
}

Result<const Analysis*> FindAnalysis(std::string_view name) {
  std::vector<std::string> names;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->name == name) return analysis;
    names.push_back(analysis->name);
  }
  const std::string_view nearest = NearestName(name, names);
  return Error(StatusCode::kInvalidArgument, "there is no analysis '{}'; {}rankscope list has all",
               name, nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

}  // namespace rankscope
