// The first stage of every job: a summary of one file, small enough to keep for every rank.
#pragma once

#include <vector>

#include "stage/analysis.h"

namespace rankscope {

Mapper CaptureSummary();
// The capture described by its tables; rank -1 if the file does not state it. The caller fills in
// `path`.
Result<Capture> CaptureFromSummary(const std::vector<Table>& tables);

}  // namespace rankscope
