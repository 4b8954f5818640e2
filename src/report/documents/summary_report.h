// The line about a job in a list of jobs.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// An api::RunSummary as JSON, less than 10 kB.
std::string WriteSummary(const Report& report);

}  // namespace rankscope
