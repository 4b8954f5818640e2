#include "trace/stray_calls.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/interval.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

bool ShowsProgram(EventKind kind) {
  return kind == EventKind::kCpuOp || kind == EventKind::kUserAnnotation ||
         kind == EventKind::kPythonFunction;
}

}  // namespace

std::vector<Row> FindStrayCalls(const RankTrace& trace) {
  std::vector<bool> is_profiler;
  for (const StringId id : trace.categories)
    is_profiler.push_back(trace.strings.Get(id) == "Trace");
  Interval recorded{INT64_MAX, INT64_MIN};
  bool has_program = false, has_span = false;
  for (Row row = 0; row < trace.row_count(); ++row) {
    const EventKind kind = trace.kind[row];
    if (trace.dur_ns[row] == kNoDuration) continue;
    if (!ShowsProgram(kind) && !IsDeviceWork(kind) && !is_profiler[trace.category[row]]) continue;
    has_program |= ShowsProgram(kind);
    has_span = has_span || is_profiler[trace.category[row]];
    recorded.begin = std::min(recorded.begin, trace.ts_ns[row]);
    recorded.end = std::max(recorded.end, trace.end_ns(row));
  }
  std::vector<Row> stray;
  if (!has_program || !has_span) return stray;
  recorded.begin = SaturatingSubtract(recorded.begin, kStrayGapNs);
  recorded.end = SaturatingAdd(recorded.end, kStrayGapNs);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kRuntime &&
        (trace.end_ns(row) < recorded.begin || trace.ts_ns[row] > recorded.end))
      stray.push_back(row);
  }
  if (stray.empty()) return stray;
  boost::unordered_flat_set<std::int64_t> launched;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (IsDeviceWork(trace.kind[row]) && trace.correlation[row] > 0)
      launched.insert(trace.correlation[row]);
  }
  std::erase_if(stray, [&](Row row) { return launched.contains(trace.correlation[row]); });
  return stray;
}

}  // namespace rankscope
