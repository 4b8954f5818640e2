// The tables used by reports of a job.
#pragma once

#include <vector>

#include "app/open_job.h"

namespace rankscope::app {

// All default summaries, for the text.
std::vector<TableRequest> SummaryRequests();
// These, and the limited details that pages draw.
std::vector<TableRequest> DrawnRequests();

}  // namespace rankscope::app
