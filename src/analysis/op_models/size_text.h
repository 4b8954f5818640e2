// The size of an op as text; ops with equal work have equal text.
#pragma once

#include <string>

#include "op_cost/base/cost.h"

namespace rankscope {

// FLOPs and bytes of the cost with two significant digits: "8.6 GFLOP, 34 MB". Two ops of one
// kernel with the same text do the same work, within 5% if a digit is a 1.
std::string SizeText(const OpCost& cost);

}  // namespace rankscope
