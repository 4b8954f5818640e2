// How large an op is, in words that equal work shares.
#pragma once

#include <string>

#include "op_cost/base/cost.h"

namespace rankscope {

// FLOPs and bytes of the cost with two significant digits: "8.6 GFLOP, 34 MB". Two ops of one
// kernel that say the same do the same work, within 5% where a digit is a 1.
std::string SizeText(const OpCost& cost);

}  // namespace rankscope
