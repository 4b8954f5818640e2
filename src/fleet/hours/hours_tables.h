// The division of a period as tables.
#pragma once

#include "fleet/hours/partition.h"
#include "schemas/fleet_hours.h"

namespace rankscope::fleet {

// A row for each period.
TableOf<FleetCapacity> CapacityTable(const Partition& partition);
// A row for each period and value, those with most time first.
TableOf<FleetHours> HoursTable(const Partition& partition);

// "2026-11-28T10:00:00Z".
std::string TimeText(std::int64_t ms);

}  // namespace rankscope::fleet
