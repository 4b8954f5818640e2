// A sentence about idle time of unknown cause that the text report and the page share.
#pragma once

#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// When idle time of unknown cause is at least 5 % of the devices' time: what the host did in most
// of it. One sentence, in lower case and without its end, or none.
std::vector<std::string> DescribeUnknownGaps(const Report& report);

}  // namespace rankscope
