#include "schemas/fleet_hours.h"

namespace rankscope {

template const FleetCapacity& SchemaOf<FleetCapacity>();
template const FleetHours& SchemaOf<FleetHours>();

}  // namespace rankscope
