// Checks of a trace that did not come from the loader: what every reader of a trace relies on.
//
// A columnar file may be damaged, or made by somebody who wishes harm, with every checksum right.
// So all is checked that loading promises (trace.h, link.h, steps.h):
//
// - columns are of one length; ids, side tables and links point where they may; enums have a name;
// - tracks partition the rows in order of (domain, ids), and the kind of a row fits its domain;
// - rows of a track are sorted by (time, longer first, source); times stay within +-kMaxTimeNs;
// - parents, bounds and the kernels of every launch are what loading makes of the rows;
// - record and wait, forward and backward, collectives and steps agree with their rows;
// - strings are UTF-8; counts of events add up; numbers with a fraction are finite.
#pragma once

#include "trace/trace.h"

namespace rankscope::columnar {

// True when the trace keeps all of this. O(rows), one pass over the columns and one over the links.
bool IsSound(const RankTrace& trace);

}  // namespace rankscope::columnar
