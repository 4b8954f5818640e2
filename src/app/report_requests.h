// The tables that reports of a job are made of.
#pragma once

#include <vector>

#include "app/open_job.h"

namespace rankscope::app {

// All default summaries: of the text.
std::vector<TableRequest> SummaryRequests();
// These, and the bounded details that pages draw.
std::vector<TableRequest> DrawnRequests();

}  // namespace rankscope::app
