// Calls of the device API that do not belong to the recording: profilers hand over a few that a
// thread made long before they started or after they had stopped ("cudaEventQuery, 10 ns, 1 s
// behind everything else"). They would stretch the recording to many times its length.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

// So far from all that was recorded a call is a stray one.
inline constexpr std::int64_t kStrayGapNs = 1'000'000;

// Calls that end more than kStrayGapNs before the first, or begin so far behind the last of ops,
// annotations, Python frames, device work and the profiler's own span, and that launched no
// recorded work. None in recordings without ops, annotations and frames, where calls are all that
// is known of the host; nor where the profiler states no span, as Kineto does: others record all
// calls of a program and ranges of a part of it. Needs the rows' tracks, in any order. O(rows).
std::vector<Row> FindStrayCalls(const RankTrace& trace);

}  // namespace rankscope
