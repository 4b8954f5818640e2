// Models over time.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

enum class Period : std::uint8_t { kDay, kWeek, kMonth };

// One row per model, device and period, in this order; only `model`, unless it is "".
Result<TableOf<FleetModels>> ModelsOverTime(FleetSql& sql, const std::string& model, Period period);

}  // namespace rankscope::fleet
