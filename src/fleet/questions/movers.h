// What moved the GPU time between two parts of a period: mix, durations or counts.
#pragma once

#include <string>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

// Compares the days before `split` (YYYY-MM-DD) with those from it on; "" is the middle day of all
// days with runs. Strata as in regressions.h. One row for all computing kernels, then the `top`
// kernels whose time changed most. If a run has a weight, only such runs are compared; otherwise
// the recorded time is used. Milliseconds are whole, rounded before anything is added.
Result<TableOf<FleetMovers>> FindMovers(FleetSql& sql, const std::string& split, std::int64_t top);

}  // namespace rankscope::fleet
