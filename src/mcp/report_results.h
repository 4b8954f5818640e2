// Converts reports to answers: the parts that a model needs.
#pragma once

#include "mcp/results.h"
#include "report/base/report.h"
#include "report/diff/diff_report.h"

namespace rankscope::mcp {

FindingsResult FindingsOf(const Report& report);
DiffResult DiffOf(const DiffReport& report);

}  // namespace rankscope::mcp
