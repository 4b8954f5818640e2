// The parts of a job's exposed communication, for the reports.
#pragma once

#include <string_view>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct ExposedPart {
  std::string_view label;     // in a list
  std::string_view sentence;  // "... % <sentence>"
  double share_pct = 0;       // of device time
};

// The existing parts, waiting first; they sum to the exposed communication of job_breakdown. Empty
// without data in exposed_by_rank.
std::vector<ExposedPart> ExposedParts(const Report& report);

}  // namespace rankscope
