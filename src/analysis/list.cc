#include "analysis/list.h"

#include <algorithm>
#include <vector>

#include "analysis/across/analyses.h"
#include "analysis/allocator_calls.h"
#include "analysis/annotations.h"
#include "analysis/captures.h"
#include "analysis/class_overlap.h"
#include "analysis/copies.h"
#include "analysis/copy_bandwidth.h"
#include "analysis/critical_path/analyses.h"
#include "analysis/data_quality.h"
#include "analysis/flame_graph.h"
#include "analysis/graphs/analyses.h"
#include "analysis/host_breakdown.h"
#include "analysis/hta/list.h"
#include "analysis/job_breakdown.h"
#include "analysis/kernel_classes.h"
#include "analysis/kernel_outliers.h"
#include "analysis/kernel_sequences.h"
#include "analysis/kernel_steps.h"
#include "analysis/kernels_by_name.h"
#include "analysis/kernels_by_rank.h"
#include "analysis/launch_outliers.h"
#include "analysis/launches.h"
#include "analysis/layout/analyses.h"
#include "analysis/memory_at_peak.h"
#include "analysis/memory_growth.h"
#include "analysis/memory_outliving.h"
#include "analysis/memory_over_time.h"
#include "analysis/memory_peaks.h"
#include "analysis/memsets.h"
#include "analysis/modules.h"
#include "analysis/ops.h"
#include "analysis/over_ranks.h"
#include "analysis/overlap.h"
#include "analysis/phases.h"
#include "analysis/queue_length.h"
#include "analysis/queue_length_series.h"
#include "analysis/rank_breakdown.h"
#include "analysis/rank_metrics.h"
#include "analysis/recomputation.h"
#include "analysis/roofline/device_peaks_table.h"
#include "analysis/roofline/flop_utilisation.h"
#include "analysis/roofline/roofline.h"
#include "analysis/stacks.h"
#include "analysis/step_spread.h"
#include "analysis/step_times.h"
#include "analysis/stream_gaps.h"
#include "analysis/time_breakdown.h"
#include "analysis/utilisation.h"

namespace rankscope {
namespace {

std::vector<const Analysis*> WithHta(std::vector<const Analysis*> analyses) {
  analyses.insert(analyses.end(), hta::HtaAnalyses().begin(), hta::HtaAnalyses().end());
  return analyses;
}

}  // namespace

std::span<const Analysis* const> AllAnalyses() {
  static const std::vector<const Analysis*> kAll = WithHta({
      &CapturesAnalysis(),
      &StepSpreadAnalysis(),
      &JobBreakdownAnalysis(),
      &JobCriticalPathAnalysis(),
      &RankBreakdownAnalysis(),
      &RankMetricsAnalysis(),
      &OverRanksAnalysis(),
      &LayoutAnalysis(),
      &LayoutRanksAnalysis(),
      &ByLayoutAnalysis(),
      &PipelineAnalysis(),
      &PipelineStepsAnalysis(),
      &PipelineScheduleAnalysis(),
      &PipelinePassesAnalysis(),
      &ExpertLoadAnalysis(),
      &ExpertRanksAnalysis(),
      &ClocksAnalysis(),
      &CollectiveRanksAnalysis(),
      &CollectiveSizesAnalysis(),
      &ExposedCommunicationAnalysis(),
      &PointToPointAnalysis(),
      &AllToAllAnalysis(),
      &CollectivesAnalysis(),
      &CollectiveMembersAnalysis(),
      &CollectiveTimelineAnalysis(),
      &StepTimesAnalysis(),
      &TimeBreakdownAnalysis(),
      &CriticalPathAnalysis(),
      &CriticalPathOpsAnalysis(),
      &CriticalPathModulesAnalysis(),
      &CriticalPathEventsAnalysis(),
      &SlackAnalysis(),
      &OverlapAnalysis(),
      &UtilisationAnalysis(),
      &PhasesAnalysis(),
      &KernelClassesAnalysis(),
      &ClassOverlapAnalysis(),
      &KernelsByNameAnalysis(),
      &KernelStepsAnalysis(),
      &KernelsByRankAnalysis(),
      &KernelOutliersAnalysis(),
      &StreamGapsAnalysis(),
      &QueueLengthAnalysis(),
      &QueueLengthSeriesAnalysis(),
      &LaunchesAnalysis(),
      &LaunchOutliersAnalysis(),
      &OpsAnalysis(),
      &OpsByShapeAnalysis(),
      &ModulesAnalysis(),
      &StacksAnalysis(),
      &FlameGraphAnalysis(),
      &KernelSequencesAnalysis(),
      &GraphsAnalysis(),
      &GraphOpsAnalysis(),
      &GraphNodesAnalysis(),
      &RooflineAnalysis(),
      &DevicePeaksAnalysis(),
      &RecomputationAnalysis(),
      &FlopUtilisationAnalysis(),
      &CopiesAnalysis(),
      &CopyBandwidthAnalysis(),
      &MemsetsAnalysis(),
      &AnnotationsAnalysis(),
      &MemoryPeaksAnalysis(),
      &MemoryGrowthAnalysis(),
      &MemoryOverTimeAnalysis(),
      &MemoryAtPeakAnalysis(),
      &MemoryOutlivingAnalysis(),
      &AllocatorCallsAnalysis(),
      &HostBreakdownAnalysis(),
      &DataQualityAnalysis(),
  });
  return kAll;
}

Result<const Analysis*> FindAnalysis(std::string_view name) {
  std::string known;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->name == name) return analysis;
    known += (known.empty() ? "" : ", ") + analysis->name;
  }
  return Error(StatusCode::kInvalidArgument, "there is no analysis '{}'; there are: {}", name,
               known);
}

}  // namespace rankscope
