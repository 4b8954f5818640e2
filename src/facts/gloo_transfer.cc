#include "facts/gloo_transfer.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {

bool IsCollectiveOfGloo(const RankTrace& trace, Row row) {
  const EventKind kind = trace.kind[row];
  return (kind == EventKind::kCpuOp || kind == EventKind::kUserAnnotation) &&
         trace.dur_ns[row] >= 0 && trace.name_of(row).starts_with("gloo:");
}

Interval ExchangeOfGloo(const RankTrace& trace, Row row) {
  const auto end_of = [&](Row at) {
    return SaturatingAdd(trace.ts_ns[at], std::max<std::int64_t>(trace.dur_ns[at], 0));
  };
  const Track& track = trace.tracks[trace.track[row]];
  const std::int64_t end = end_of(row);
  Interval longest{trace.ts_ns[row], trace.ts_ns[row]};
  std::int64_t from = trace.ts_ns[row];
  const auto close = [&](std::int64_t until) {
    if (until - from > longest.end - longest.begin) longest = {from, until};
  };
  for (Row at = row + 1; at < track.end && trace.ts_ns[at] < end; ++at) {
    if (trace.kind[at] != EventKind::kRuntime) continue;
    close(trace.ts_ns[at]);
    from = std::max(from, std::min(end, end_of(at)));
  }
  close(end);
  return longest;
}

}  // namespace rankscope
