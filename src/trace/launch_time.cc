#include "trace/launch_time.h"

#include <algorithm>

#include "base/saturating.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

bool IsCopy(const RankTrace& trace, Row work) {
  return trace.kind[work] == EventKind::kMemcpy || trace.kind[work] == EventKind::kMemset;
}

std::int64_t LatestBegin(const RankTrace& trace, Row work) {
  return SaturatingAdd(HandedOverAt(trace, work), kLaunchLimitNs);
}

}  // namespace

std::int64_t HandedOverAt(const RankTrace& trace, Row work) {
  const Row call = trace.link[work];
  return IsCopy(trace, work) ? trace.ts_ns[call] : trace.end_ns(call);
}

bool IsHeldUp(const RankTrace& trace, Row work) {
  return trace.ts_ns[work] > LatestBegin(trace, work);
}

std::int64_t LaunchingUntil(const RankTrace& trace, Row work, Interval waiting) {
  if (IsCopy(trace, work) && IsHeldUp(trace, work)) return waiting.begin;
  return std::clamp(LatestBegin(trace, work), waiting.begin, waiting.end);
}

}  // namespace rankscope
