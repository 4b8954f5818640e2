// The report as JSON, schema rankscope.report/1 (docs/report.md has the keys).
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

std::string WriteJsonReport(const Report& report);

// Its members "findings" and "not_evaluated" alone.
std::string WriteJsonFindings(const Report& report);

}  // namespace rankscope
