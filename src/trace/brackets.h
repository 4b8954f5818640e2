// Begin and end events (B, E) of a trace, matched as brackets.
#pragma once

#include <span>
#include <vector>

#include "base/column.h"
#include "trace/builder.h"
#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope {

// Gives each begin the duration until its end, and returns which rows are ends. Rows are in the
// order of the file; brackets count by time within a thread, those of one time in the order of the
// file. An end with a name is of the innermost open begin with that name, one without of the
// innermost. What has no partner is counted in `quality`.
//
// `threads`, sorted by source, says the threads of these rows; of a row that is not in it the track
// is the thread. O(n log n) in begins and ends, times the depth at ends out of order (at most
// 1,000).
std::vector<bool> MatchBrackets(RankTrace& trace, const Column<EventPhase>& phase,
                                std::span<const BracketThread> threads, QualityLog& quality);

}  // namespace rankscope
