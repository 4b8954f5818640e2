// Merges spans that are too short to distinguish.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// Merges neighbours in one lane that are shorter than `resolution_ns` into spans of up to that
// length. Each gets the name, kind and event of its longest span, their number, the covered share
// of its length, and all flags. Longer spans stay unchanged. `spans` must be sorted by start; the
// result is, too, with at most 2 spans per lane and `resolution_ns`. O(n log n).
std::vector<TimelineSpan> MergeSpans(std::span<const TimelineSpan> spans,
                                     std::int64_t resolution_ns);

}  // namespace rankscope
