// Which trace to look at first.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

// The file of the first finding's first rank, of those that are analysed; of a job without findings
// the first rank's. Empty when the report names no file.
std::string TraceOfFirstFinding(const Report& report);

}  // namespace rankscope
