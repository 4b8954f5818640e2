// Reports as answers: what a model needs of them.
#pragma once

#include "mcp/results.h"
#include "report/diff_report.h"
#include "report/report.h"

namespace rankscope::mcp {

FindingsResult FindingsOf(const Report& report);
DiffResult DiffOf(const DiffReport& report);

}  // namespace rankscope::mcp
