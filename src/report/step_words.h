// Sentences about steps that the text report and the page share.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace rankscope {

// What tells where steps begin, where that is not the profiler's marks. One sentence, in lower case
// and without its end, or none.
std::vector<std::string> DescribeStepMarks(const Report& report);

// How far the host runs ahead of its devices, when that is much of the median step: marks then say
// little. One sentence, in lower case and without its end, or none.
std::vector<std::string> DescribeHostLead(const Report& report);

}  // namespace rankscope
