// Maps backward ops to their forward ops.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row of a host thread, the forward op of the innermost backward op that contains it;
// empty if the trace has no such links.
std::vector<Row> ForwardOpsOf(const RankTrace& trace);

}  // namespace rankscope
