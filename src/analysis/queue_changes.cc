#include "analysis/queue_changes.h"

#include <algorithm>

namespace rankscope {

std::vector<QueueChange> QueueChangesOf(const RankTrace& trace, const Track& stream) {
  std::vector<QueueChange> changes;
  for (Row row = stream.begin; row < stream.end; ++row) {
    const Row call = trace.link[row];
    if (!IsDeviceWork(trace.kind[row]) || call == kNoRow) continue;
    const std::int64_t begin = trace.ts_ns[row];
    // Work that was never queued changes nothing.
    if (trace.ts_ns[call] >= begin) continue;
    changes.push_back({trace.ts_ns[call], 1, call});
    changes.push_back({begin, -1, kNoRow});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const QueueChange& a, const QueueChange& b) {
    return a.t != b.t ? a.t < b.t : a.by < b.by;
  });
  return changes;
}

}  // namespace rankscope
