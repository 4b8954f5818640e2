// The first trace to look at.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// The file of the first finding's first analysed rank; without findings, the first rank's. Empty if
// the report names no file.
std::string TraceOfFirstFinding(const Report& report);

}  // namespace rankscope
