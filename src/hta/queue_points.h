// Queues of streams, as HTA counts them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

// The calls that HTA counts as launches of device work.
std::span<const std::string_view> LaunchNames();

// A change of a stream's queue: a launch adds one, the begin of the work removes one.
struct QueuePoint {
  std::int64_t ts = 0;
  std::int64_t stream = 0;
  std::int64_t length = 0;       // of the queue after this change
  const Event* event = nullptr;  // the launch or the work; points into the frame
  const Event* work = nullptr;   // on the stream
};

// Sorted by stream and time; simultaneous changes in HTA's order (numpy_sort.h). O(n log n).
std::vector<QueuePoint> QueuePointsOf(const Frame& frame);

}  // namespace rankscope::hta
