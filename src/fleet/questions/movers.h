// What moved the GPU time between two parts of a period: mix, durations or counts.
#pragma once

#include <string>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

// The days before `split` (YYYY-MM-DD) against those from it on; "" is the day in the middle of all
// that have runs. Strata are those of regressions.h. A row of all computing kernels, then the `top`
// kernels whose time changed most. Where a run has a weight those alone are compared, else recorded
// time is. Milliseconds are whole, and rounded before anything is added.
Result<TableOf<FleetMovers>> FindMovers(FleetSql& sql, const std::string& split, std::int64_t top);

}  // namespace rankscope::fleet
