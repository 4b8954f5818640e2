// A sentence about kernels of no known class that the text report and the page share.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace rankscope {

// When at least a tenth of the summed time of computing kernels is of class "other": how much that
// is, which kernels take most of it, and how to say what they are. One sentence, in lower case and
// without its end, or none.
std::vector<std::string> DescribeUnknownKernels(const Report& report);

}  // namespace rankscope
