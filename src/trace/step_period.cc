#include "trace/step_period.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/median.h"
#include "trace/step_marks.h"

namespace rankscope {
namespace {

bool IsRegular(const RankTrace& trace, const std::vector<Row>& rows, std::int64_t span) {
  if (rows.size() < 3 || trace.ts_ns[rows.back()] - trace.ts_ns[rows.front()] < span / 2)
    return false;
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < rows.size(); ++i)
    gaps.push_back(trace.ts_ns[rows[i]] - trace.ts_ns[rows[i - 1]]);
  const std::int64_t median = MedianOf(gaps);
  for (std::int64_t& gap : gaps) gap = std::abs(gap - median);
  return median > 0 && MedianOf(gaps) <= median / 4;
}

bool RepeatsOnTrack(const RankTrace& trace, Row row) {
  const EventKind kind = trace.kind[row];
  return kind == EventKind::kCpuOp || kind == EventKind::kUserAnnotation || IsDeviceWork(kind);
}

void StepsOf(RankTrace& trace, const Track& track) {
  boost::unordered_flat_map<StringId, std::vector<Row>> by_name;
  std::size_t rows = 0;
  std::int64_t end = INT64_MIN;
  for (Row row = track.begin; row < track.end; ++row) {
    if (!RepeatsOnTrack(trace, row)) continue;
    by_name[trace.name[row]].push_back(row);
    end = std::max(end, trace.end_ns(row));
    ++rows;
  }
  if (rows == 0) return;
  const std::int64_t span = end - trace.ts_ns[track.begin];
  // Names by how often they occur: the rows of all of them, and the earliest that is regular.
  struct Occurring {
    std::size_t rows = 0;
    const std::vector<Row>* first = nullptr;
  };
  std::map<std::size_t, Occurring> by_count;
  for (const auto& [name, name_rows] : by_name) {
    Occurring& occurring = by_count[name_rows.size()];
    occurring.rows += name_rows.size();
    const bool is_earlier =
        occurring.first == nullptr || name_rows.front() < occurring.first->front();
    if (is_earlier && IsRegular(trace, name_rows, span)) occurring.first = &name_rows;
  }
  for (const auto& [count, occurring] : by_count) {
    if (occurring.first == nullptr) continue;
    std::size_t covered = 0;
    for (const auto& [other, others] : by_count) covered += other % count == 0 ? others.rows : 0;
    if (covered * 2 < rows) continue;
    // A kernel that runs again and again is no period of anything.
    if (track.domain == Domain::kDevice && rows < 2 * count) continue;
    const std::vector<Row>* first = occurring.first;
    for (std::size_t i = 0; i < count; ++i) {
      Step step;
      step.number = static_cast<std::int64_t>(i);
      step.begin_ns = trace.ts_ns[(*first)[i]];
      if (track.domain == Domain::kHost) step.mark = (*first)[i];
      step.inferred = 1;
      step.source = StepSource::kPeriod;
      step.complete = i + 1 < count;
      step.end_ns = i + 1 < count ? trace.ts_ns[(*first)[i + 1]]
                                  : EndOfLaunchedWork(trace, step.begin_ns, end);
      trace.steps.push_back(step);
    }
    return;
  }
}

// The stream that is busy longest; null without device work.
const Track* BusiestStream(const RankTrace& trace) {
  const Track* busiest = nullptr;
  std::int64_t most = 0;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    std::int64_t busy = 0;
    for (Row row = track.begin; row < track.end; ++row)
      busy += std::max<std::int64_t>(trace.dur_ns[row], 0);
    if (busy <= most) continue;
    most = busy;
    busiest = &track;
  }
  return busiest;
}

}  // namespace

void StepsFromPeriod(RankTrace& trace) {
  if (const Track* track = LaunchingTrack(trace)) StepsOf(trace, *track);
  if (!trace.steps.empty()) return;
  if (const Track* track = BusiestStream(trace)) StepsOf(trace, *track);
}

}  // namespace rankscope
