// The order of work on streams: the predecessor of each work.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

// For each row of device work the earlier row of its stream that ended last before it began (up to
// kClockToleranceNs late), kNoRow where none had: kernels of one stream may overlap (programmatic
// dependent launch; branches of a CUDA graph). Other rows have kNoRow. O(rows log overlap).
std::vector<Row> StreamPredecessors(const RankTrace& trace);

}  // namespace rankscope
