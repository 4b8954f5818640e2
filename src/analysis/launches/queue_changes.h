// The launch queue of a stream: work that was issued and has not begun.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct QueueChange {
  std::int64_t t = 0;
  std::int32_t by = 0;  // +1: work was issued; -1: it began
  Row call = kNoRow;    // the launching call
  // Of the work of the call on this stream that begins first. Only these count where launches are
  // counted: a graph of a thousand kernels is one.
  bool is_first = false;
};

// Changes of the queue of one device track in time order: +1 at the begin of the launching call
// (for every kernel of a graph at that of the graph's launch), -1 when the work begins. At the same
// time what begins leaves first, so that the queue is as short as it can have been. Work without a
// known launch, and work that begins before its call (clocks of host and device differ), is left
// out. O(work log work).
std::vector<QueueChange> QueueChangesOf(const RankTrace& trace, const Track& stream);

}  // namespace rankscope
