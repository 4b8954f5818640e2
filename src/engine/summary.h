// The first stage of every job: what one file is, small enough to keep for every rank.
#pragma once

#include <vector>

#include "stage/analysis.h"

namespace rankscope {

Mapper CaptureSummary();
// The capture described by its tables; rank -1 when the file does not state it. `path` is filled
// in by the caller.
Result<Capture> CaptureFromSummary(const std::vector<Table>& tables);

}  // namespace rankscope
