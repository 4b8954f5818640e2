// Spans that are too short to be told apart, drawn as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// Joins neighbours of one lane that are shorter than `resolution_ns` into spans of up to that
// length: of each the name, kind and event of its longest, how many they are, what share of the
// length is covered, and all their flags. Longer ones stay as they are. `spans` are by start, as
// are those that are made, at most 2 for each lane and `resolution_ns`. O(n log n).
std::vector<TimelineSpan> MergeSpans(std::span<const TimelineSpan> spans,
                                     std::int64_t resolution_ns);

}  // namespace rankscope
