// Calls of the device API that do not belong to the recording: profilers write a few that a thread
// made long before their start or after their end ("cudaEventQuery, 10 ns, 1 s after everything
// else"). They would extend the recording to many times its length.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

// A call this far from everything else is a stray call.
inline constexpr std::int64_t kStrayGapNs = 1'000'000;

// Calls that end more than kStrayGapNs before the first, or begin that long after the last of ops,
// annotations, Python frames, device work and the profiler's own span, and that launched no
// recorded work. None in recordings without ops, annotations and frames, where only calls are known
// of the host; and none if the profiler states no span (Kineto does), since other profilers record
// all calls of a program and ranges of only a part of it. Needs the rows' tracks, in any order.
// O(rows).
std::vector<Row> FindStrayCalls(const RankTrace& trace);

}  // namespace rankscope
