// Checks of a trace that did not come from the loader: the invariants that all readers rely on.
//
// A columnar file may be damaged, or crafted by an attacker with valid checksums. So it checks all
// that loading guarantees (trace.h, link.h, steps.h):
//
// - columns have equal lengths; ids, side tables and links are in range; enums have a known value;
// - tracks partition the rows in order of (domain, ids), and the kind of a row fits its domain;
// - rows of a track are sorted by (time, longer first, source); times stay within +-kMaxTimeNs;
// - parents, bounds and the kernels of every launch are those that loading would compute;
// - record and wait, forward and backward, collectives and steps agree with their rows;
// - strings are UTF-8; counts of events add up; floating-point numbers are finite.
#pragma once

#include "trace/trace.h"

namespace rankscope::columnar {

// True when the trace satisfies all of this. O(rows), one pass over columns and one over links.
bool IsSound(const RankTrace& trace);

}  // namespace rankscope::columnar
