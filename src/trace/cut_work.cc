#include "trace/cut_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/saturating.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

bool IsOfGraph(const RankTrace& trace, Row row) {
  const Row launch = trace.link[row];
  return launch != kNoRow && IsGraphLaunchCall(trace.name_of(launch));
}

}  // namespace

void CutImpossibleWork(RankTrace& trace, QualityLog& quality) {
  std::vector<Row> impossible;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    impossible.clear();
    std::size_t kernels = 0;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kKernel) continue;
      ++kernels;
      if (trace.dur_ns[row] < kImpossibleNs || IsOfGraph(trace, row)) continue;
      const Row next = row + 1;
      if (next == track.end || trace.ts_ns[next] == trace.ts_ns[row] || IsOfGraph(trace, next))
        continue;
      const std::int64_t excess = SaturatingSubtract(trace.end_ns(row), trace.ts_ns[next]);
      if (excess >= kImpossibleNs && excess >= trace.dur_ns[row] - excess)
        impossible.push_back(row);
    }
    if (impossible.size() > std::max<std::size_t>(1, kernels / 20)) continue;
    for (const Row row : impossible) {
      trace.cut_work.push_back({.stated_ns = trace.dur_ns[row], .row = row});
      trace.dur_ns[row] = trace.ts_ns[row + 1] - trace.ts_ns[row];
    }
  }
  if (trace.cut_work.empty()) return;
  const CutWork& longest = *std::max_element(
      trace.cut_work.begin(), trace.cut_work.end(),
      [](const CutWork& a, const CutWork& b) { return a.stated_ns < b.stated_ns; });
  quality.Add(
      QualityCode::kImpossibleDuration, -1,
      fmt::format("durations that cannot be: the next work of the stream begins long before "
                  "they end. They are taken to end there; the longest, {} on stream {}, "
                  "states {:.1f} ms and has {:.3f} ms",
                  trace.name_of(longest.row), trace.track_of(longest.row).second,
                  static_cast<double>(longest.stated_ns) / 1e6,
                  static_cast<double>(trace.dur_ns[longest.row]) / 1e6),
      static_cast<std::int64_t>(trace.cut_work.size()));
}

}  // namespace rankscope
