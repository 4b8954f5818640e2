// The ranges of CUPTI's range profiler and the launches that they measured.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct MeasuredRange {
  Row range = kNoRow;
  Row launch = kNoRow;  // kNoRow: not known
};

// By begin. The ranges' times are no times: Kineto divides the recording by their number. What is
// left is their order, that of the kernels; so where a trace has as many of them as calls that
// launch a kernel (graphs, copies and memsets are none), they are paired by place. Where it has
// not, measuring began later or ended earlier than recording, and no launch is known.
// O(rows log rows).
std::vector<MeasuredRange> MeasuredRanges(const RankTrace& trace);

// The innermost op around a call; kNoRow without one.
Row InnermostOp(const RankTrace& trace, Row call);

}  // namespace rankscope
