// Begin and end events (B, E) of a trace, matched as brackets.
#pragma once

#include <span>
#include <vector>

#include "base/column.h"
#include "trace/builder.h"
#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope {

// Sets the duration of each begin until its end, and returns which rows are ends. Rows are in file
// order. Brackets are matched by time within a thread; equal times keep file order. An end with a
// name matches the innermost open begin with that name; an end without a name matches the
// innermost. Unmatched events are counted in `quality`.
//
// `threads`, sorted by source, has the threads of these rows; for other rows the track is the
// thread. O(n log n) in begins and ends, times the depth at ends out of order (at most 1,000).
std::vector<bool> MatchBrackets(RankTrace& trace, const Column<EventPhase>& phase,
                                std::span<const BracketThread> threads, QualityLog& quality);

}  // namespace rankscope
