// The first screen of `analyze`: at most 25 lines of 80 columns.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// The verdict on the recording if it matters; the job; one sentence with step time, the combined
// gain of all causes and MFU; the three largest findings in at most four lines each, the others in
// a line; where device time goes, if there is room; the next commands. For reports with findings,
// and for those without a cause.
std::string FirstScreen(const Report& report);

}  // namespace rankscope
