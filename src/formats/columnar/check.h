// Checks that every index inside a trace points where it may.
#pragma once

#include "trace/trace.h"

namespace rankscope::columnar {

// True when no reader of the trace can step outside of its columns or walk up its parents forever.
// O(rows), a few passes over the index columns.
bool IndexesAreSound(const RankTrace& trace);

}  // namespace rankscope::columnar
