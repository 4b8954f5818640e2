// Only for use cases: the parts of a report besides its tables.
#pragma once

#include <string>

#include "engine/job.h"
#include "report/base/report.h"

namespace rankscope::app {

// A report without tables. `called` names the job in commands.
Report DescribeJob(const Job& job, const std::string& called);

}  // namespace rankscope::app
