// From backward ops to the forward ops for which autograd made them.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row of a host thread the forward op of the innermost backward op that holds it; empty
// when the trace has no such links.
std::vector<Row> ForwardOpsOf(const RankTrace& trace);

}  // namespace rankscope
