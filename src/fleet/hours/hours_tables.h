// The division of a period as tables.
#pragma once

#include "fleet/hours/partition.h"
#include "schemas/fleet_hours.h"

namespace rankscope::fleet {

// A row for each period.
TableOf<FleetCapacity> CapacityTable(const Partition& partition);
// A row for each period and value, those with most time first.
TableOf<FleetHours> HoursTable(const Partition& partition);

}  // namespace rankscope::fleet
