// What reports say of a job beside its tables.
#pragma once

#include <string>
#include <vector>

#include "engine/job.h"
#include "report/report.h"

namespace rankscope::cli {

// A report without tables.
Report DescribeJob(const Job& job);

// All default summaries: what a report is made of.
std::vector<Request> SummaryRequests();

// The paths as words of a command line. A job of many stays TRACES: a command line with all of them
// is no help.
std::string TracesWords(const std::vector<std::string>& paths);

}  // namespace rankscope::cli
