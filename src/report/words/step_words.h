// Sentences about steps, shared by the text report and the page.
#pragma once

#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// The source of step begins, if it is not the profiler's marks. One sentence, in lower case and
// without its end, or none.
std::vector<std::string> DescribeStepMarks(const Report& report);

// How far the host runs ahead of its devices, if that is a large part of the median step: marks
// then mean little. One sentence, in lower case and without its end, or none.
std::vector<std::string> DescribeHostLead(const Report& report);

}  // namespace rankscope
