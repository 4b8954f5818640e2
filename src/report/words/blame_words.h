// Sentences of reports about late ranks and the reasons.
#pragma once

#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// "55% of all lateness is due to rank 5: slower kernels (aten::mm), in 5 of 5 steps": whose fault
// most of the waiting is, three sentences at most; empty when nobody costs as much as 1 % of a
// step by a cause of their own.
std::vector<std::string> DescribeBlame(const Report& report);

}  // namespace rankscope
