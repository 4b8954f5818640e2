#include "hta/list.h"

#include <array>

#include "hta/analyses.h"

namespace rankscope::hta {

std::span<const Analysis* const> HtaAnalyses() {
  static const std::array kAll = {
      &Traces(),
      &Events(),
      &Symbols(),
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
      &CriticalPathNodes(),
      &OpsSummary(),
      &CallGraphTable(),
      &FrequentCudaKernelSequences(),
      &FrequentCudaKernelEvents(),
      &CuptiCounters(),
      &CorrelateExecutionTrace(),
  };
  return kAll;
}

}  // namespace rankscope::hta
