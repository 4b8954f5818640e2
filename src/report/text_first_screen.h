// What `analyze` says on one screen: at most 25 lines of 80 columns.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

// The verdict on the recording where it matters; the job; one sentence with step time, what all
// causes gain and MFU; the three largest findings in at most four lines each, the others in a line;
// where device time goes, as far as there is room; what to ask next. Of a report with findings, or
// of one in which no cause was found.
std::string FirstScreen(const Report& report);

}  // namespace rankscope
