// The first stage of every job: what one file is, small enough to keep for every rank.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace rankscope {

inline constexpr int kSummaryVersion = 1;

std::vector<Table> SummariseTrace(const RankTrace& trace);
// The capture described by such tables; rank -1 when the file does not state it. `path` is filled
// in by the caller.
Result<Capture> CaptureFromSummary(const std::vector<Table>& tables);

}  // namespace rankscope
