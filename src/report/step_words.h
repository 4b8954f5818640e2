// Sentences about steps that the text report and the page share.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace rankscope {

// How far the host runs ahead of its devices, when that is much of the median step: marks then say
// little. One sentence, in lower case and without its end, or none.
std::vector<std::string> DescribeHostLead(const Report& report);

}  // namespace rankscope
