// A sentence about kernels of unknown class, shared by the text report and the page.
#pragma once

#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// If at least a tenth of the summed time of computing kernels has class "other": its share, the
// largest kernels, and how to classify them. One sentence, in lower case and without its end, or
// none.
std::vector<std::string> DescribeUnknownKernels(const Report& report);

}  // namespace rankscope
