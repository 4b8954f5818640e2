// Names of several ranks in reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// "rank 3", "ranks 0-15, 32", and where they are all ranks of some of several stages of a pipeline
// "ranks 4-7 (pipeline stage 1)", "ranks 0-3, 8-11 (pipeline stages 0, 2)". In any order; "no rank"
// of none.
std::string RanksInWords(const Report& report, std::vector<std::int64_t> ranks);

}  // namespace rankscope
