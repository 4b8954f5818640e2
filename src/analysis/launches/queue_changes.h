// The launch queue of a stream: work that is issued but has not begun.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct QueueChange {
  std::int64_t t = 0;
  std::int32_t by = 0;  // +1: work was issued; -1: it began
  Row call = kNoRow;    // the launching call
  // For the first work of the call on this stream. Counts of launches include only these: a graph
  // of a thousand kernels is one launch.
  bool is_first = false;
};

// Changes of the queue of one device track in time order: +1 at the begin of the launching call
// (for every kernel of a graph at the begin of the graph's launch), -1 when the work begins. At
// equal times beginning work leaves first, so the queue has its shortest possible length. Work
// without a known launch is left out, and so is work that begins before its call (clocks of host
// and device differ). O(work log work).
std::vector<QueueChange> QueueChangesOf(const RankTrace& trace, const Track& stream);

}  // namespace rankscope
