#include "analysis/counters/measured_ranges.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

bool LaunchesKernel(std::string_view call) {
  return IsLaunchCall(call) && !IsGraphLaunchCall(call) && Contains(call, "Launch");
}

}  // namespace

std::vector<MeasuredRange> MeasuredRanges(const RankTrace& trace) {
  std::vector<std::uint8_t> launches_kernel(trace.strings.size());
  for (StringId id = 0; id < launches_kernel.size(); ++id)
    launches_kernel[id] = LaunchesKernel(trace.strings.Get(id)) ? 1 : 0;
  std::vector<MeasuredRange> ranges;
  std::vector<Row> launches;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kProfilerRange) ranges.push_back({.range = row});
    if (trace.kind[row] == EventKind::kRuntime && launches_kernel[trace.name[row]] != 0)
      launches.push_back(row);
  }
  const auto when = [&](Row row) { return std::tuple(trace.ts_ns[row], trace.source[row]); };
  std::ranges::sort(ranges, {}, [&](const MeasuredRange& range) { return when(range.range); });
  if (ranges.size() != launches.size()) return ranges;
  std::ranges::sort(launches, {}, when);
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].launch = launches[i];
  return ranges;
}

Row InnermostOp(const RankTrace& trace, Row call) {
  while (call != kNoRow && trace.kind[call] != EventKind::kCpuOp) call = trace.parent[call];
  return call;
}

}  // namespace rankscope
