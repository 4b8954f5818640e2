// The ranges of CUPTI's range profiler and the launches that they measured.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct MeasuredRange {
  Row range = kNoRow;
  Row launch = kNoRow;  // kNoRow: not known
};

// By begin. The ranges' times are not real: Kineto divides the recording by the number of ranges.
// Only their order is real, which is the order of the kernels. So if a trace has as many ranges as
// calls that launch a kernel (not graphs, copies or memsets), they are paired by place. Otherwise
// measuring began later or ended earlier than recording, and no launch is known. O(rows log rows).
std::vector<MeasuredRange> MeasuredRanges(const RankTrace& trace);

// The innermost op around a call; kNoRow without one.
Row InnermostOp(const RankTrace& trace, Row call);

}  // namespace rankscope
