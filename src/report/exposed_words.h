// What the exposed communication of a job consists of, for the reports.
#pragma once

#include <string_view>
#include <vector>

#include "report/report.h"

namespace rankscope {

struct ExposedPart {
  std::string_view label;     // in a list
  std::string_view sentence;  // "... % <sentence>"
  double share_pct = 0;       // of device time
};

// The parts that there are, waiting first; they sum to the exposed communication of job_breakdown.
// Empty when the table exposed_by_rank says nothing.
std::vector<ExposedPart> ExposedParts(const Report& report);

}  // namespace rankscope
