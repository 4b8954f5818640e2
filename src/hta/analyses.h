// The hta.* analyses, each defined in the file of its name or family.
#pragma once

#include "stage/analysis.h"

namespace rankscope::hta {

const Analysis& Events();
const Analysis& Symbols();
const Analysis& Traces();
const Analysis& TemporalBreakdown();
const Analysis& CommCompOverlap();
const Analysis& GpuKernelTypeBreakdown();
const Analysis& GpuKernelBreakdown();
const Analysis& GpuUserAnnotationBreakdown();
const Analysis& IdleTimeBreakdown();
const Analysis& IdleTimeIntervalStats();
const Analysis& CudaKernelLaunchStats();
const Analysis& QueueLengthTimeSeries();
const Analysis& QueueLengthSummary();
const Analysis& TimeBlockedOnFullQueue();
const Analysis& MemoryBwTimeSeries();
const Analysis& MemoryBwSummary();
const Analysis& AtenOpKernelsAndDelay();
const Analysis& GpuKernelsWithUserAnnotations();
const Analysis& CriticalPathSummary();
const Analysis& CriticalPathEdges();
const Analysis& CriticalPathNodes();
const Analysis& OpsSummary();
const Analysis& CallGraphTable();
const Analysis& FrequentCudaKernelSequences();
const Analysis& FrequentCudaKernelEvents();
const Analysis& CuptiCounters();
const Analysis& CorrelateExecutionTrace();

}  // namespace rankscope::hta
