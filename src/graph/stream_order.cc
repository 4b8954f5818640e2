#include "graph/stream_order.h"

#include <algorithm>

namespace rankscope {

std::vector<Row> StreamPredecessors(const RankTrace& trace) {
  std::vector<Row> result(trace.row_count(), kNoRow);
  const auto ends_later = [&](Row a, Row b) { return trace.end_ns(a) > trace.end_ns(b); };
  std::vector<Row> running;  // a heap, the first to end in front
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    running.clear();
    Row done = kNoRow;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsDeviceWork(trace.kind[row])) continue;
      const std::int64_t begin = trace.ts_ns[row];
      const auto is_done = [&](Row earlier) {
        const std::int64_t end = trace.end_ns(earlier);
        return end <= begin || (end <= begin + kClockToleranceNs && trace.ts_ns[earlier] < begin);
      };
      while (!running.empty() && is_done(running.front())) {
        std::pop_heap(running.begin(), running.end(), ends_later);
        if (done == kNoRow || trace.end_ns(running.back()) >= trace.end_ns(done))
          done = running.back();
        running.pop_back();
      }
      result[row] = done;
      running.push_back(row);
      std::push_heap(running.begin(), running.end(), ends_later);
    }
  }
  return result;
}

}  // namespace rankscope
