#include "hta/list.h"

#include <array>

#include "hta/analyses.h"

namespace rankscope::hta {

std::span<const Analysis* const> HtaAnalyses() {
  static const std::array kAll = {
      &TemporalBreakdown(),
      &CommCompOverlap(),
      &GpuKernelTypeBreakdown(),
      &GpuKernelBreakdown(),
      &IdleTimeBreakdown(),
      &IdleTimeIntervalStats(),
      &CudaKernelLaunchStats(),
      &QueueLengthTimeSeries(),
      &QueueLengthSummary(),
      &TimeBlockedOnFullQueue(),
      &MemoryBwTimeSeries(),
      &MemoryBwSummary(),
      &GpuUserAnnotationBreakdown(),
      &AtenOpKernelsAndDelay(),
      &GpuKernelsWithUserAnnotations(),
      &CriticalPathSummary(),
      &CriticalPathEdges(),
      &OpsSummary(),
      &CallGraphTable(),
      &FrequentCudaKernelSequences(),
      &CuptiCounters(),
      &CorrelateExecutionTrace(),
  };
  return kAll;
}

}  // namespace rankscope::hta
