#include "schemas/fleet_answers.h"

namespace rankscope {

template const FleetShares& SchemaOf<FleetShares>();
template const FleetClasses& SchemaOf<FleetClasses>();
template const FleetKernels& SchemaOf<FleetKernels>();
template const FleetFrequent& SchemaOf<FleetFrequent>();
template const FleetFindings& SchemaOf<FleetFindings>();
template const FleetUnknown& SchemaOf<FleetUnknown>();
template const FleetRegressions& SchemaOf<FleetRegressions>();
template const FleetMovers& SchemaOf<FleetMovers>();
template const FleetModels& SchemaOf<FleetModels>();
template const Capacity& SchemaOf<Capacity>();

}  // namespace rankscope
