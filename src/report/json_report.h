// The report as JSON, schema rankscope.report/1 (docs/report.md has the keys).
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

std::string WriteJsonReport(const Report& report);

}  // namespace rankscope
