#include "facts/idle_splitter.h"

#include <algorithm>

#include "trace/launch_time.h"

namespace rankscope {

void IdleSplitter::Before(Interval gap, Row previous, Row next) const {
  const Row launch = trace_.link[next];
  if (launch == kNoRow) {
    Put(IdleCause::kUnknown, gap);
    return;
  }
  const std::uint32_t thread = trace_.track[launch];
  const std::int64_t launch_begin = trace_.ts_ns[launch];
  const std::int64_t launch_end = trace_.end_ns(launch);
  HostLate({gap.begin, std::min(gap.end, launch_begin)}, thread);
  const Interval queued{std::max(gap.begin, launch_begin), gap.end};
  if (queued.begin >= queued.end) return;
  if (launch_end > gap.begin || launch_begin >= gap.begin) {
    Launching(queued, previous, next);
  } else if (previous == kNoRow || queued.end - queued.begin > kGapLimitNs) {
    Put(IdleCause::kUnknown, queued);
  } else {
    const bool same_stream = trace_.track[previous] == trace_.track[next];
    Put(same_stream ? IdleCause::kKernelGap : IdleCause::kOtherStream, queued);
  }
}

void IdleSplitter::Launching(Interval queued, Row previous, Row next) const {
  const bool is_kernel = trace_.kind[next] == EventKind::kKernel;
  const std::int64_t limit = is_kernel || !MayBeBehindUnrecorded(previous, next)
                                 ? LaunchingUntil(trace_, next, queued)
                                 : queued.begin;
  Put(IdleCause::kLaunchLatency, {queued.begin, limit});
  Put(IdleCause::kUnknown, {limit, queued.end});
}

bool IdleSplitter::MayBeBehindUnrecorded(Row previous, Row next) const {
  std::int64_t since = INT64_MIN;
  if (previous != kNoRow) {
    const Row launch = trace_.link[previous];
    since = trace_.ts_ns[launch == kNoRow ? previous : launch];
  }
  const auto call = std::upper_bound(missing_.calls.begin(), missing_.calls.end(), since);
  return call != missing_.calls.end() && *call < trace_.ts_ns[trace_.link[next]];
}

void IdleSplitter::AfterAll(Interval gap, std::uint32_t thread) const {
  if (thread == kNoAux) {
    Put(IdleCause::kUnknown, gap);
  } else {
    HostLate(gap, thread);
  }
}

void IdleSplitter::HostLate(Interval gap, std::uint32_t thread) const {
  if (gap.begin >= gap.end) return;
  const IntervalSet loading = Clip(host_.data_loading(thread), gap);
  const IntervalSet waiting = Subtract(Clip(host_.blocking(thread), gap), loading);
  PutAll(IdleCause::kDataLoading, loading);
  PutAll(IdleCause::kSync, waiting);
  PutAll(IdleCause::kHostBound, Subtract(IntervalSet{gap}, Unite(loading, waiting)));
}

void IdleSplitter::PutAll(IdleCause cause, const IntervalSet& parts) const {
  for (const Interval& part : parts) Put(cause, part);
}

void IdleSplitter::Put(IdleCause cause, Interval part) const {
  if (part.begin < part.end) sink_(cause, part);
}

}  // namespace rankscope
