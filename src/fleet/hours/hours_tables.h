// Tables of how the time of a period is divided.
#pragma once

#include "fleet/hours/partition.h"
#include "schemas/fleet_hours.h"

namespace rankscope::fleet {

// One row per period.
TableOf<FleetCapacity> CapacityTable(const Partition& partition);
// One row per period and value, most time first.
TableOf<FleetHours> HoursTable(const Partition& partition);

}  // namespace rankscope::fleet
