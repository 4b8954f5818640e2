#include "analysis/launches/queue_changes.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

namespace rankscope {

std::vector<QueueChange> QueueChangesOf(const RankTrace& trace, const Track& stream) {
  std::vector<QueueChange> changes;
  boost::unordered_flat_set<Row> calls;
  for (Row row = stream.begin; row < stream.end; ++row) {
    const Row call = trace.link[row];
    if (!IsDeviceWork(trace.kind[row]) || call == kNoRow) continue;
    const std::int64_t begin = trace.ts_ns[row];
    // Work that was never queued changes nothing.
    if (trace.ts_ns[call] >= begin) continue;
    // Rows of a stream come by their begin.
    const bool is_first = calls.insert(call).second;
    changes.push_back({trace.ts_ns[call], 1, call, is_first});
    changes.push_back({begin, -1, call, is_first});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const QueueChange& a, const QueueChange& b) {
    return a.t != b.t ? a.t < b.t : a.by < b.by;
  });
  return changes;
}

}  // namespace rankscope
