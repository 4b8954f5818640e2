// A simulated fleet as the rows of a store (fleet/simulate/simulate_fleet.h).
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "fleet/simulate/simulate_fleet.h"

namespace rankscope::app {

// Writes OUT/fleet, which `rankscope fleet` reads as a store's, and OUT/truth.json.
// kInvalidArgument where OUT has a fleet already.
Status WriteSimulatedFleet(const fleet::FleetSimulation& options, const std::string& out,
                           Listener& listener);

}  // namespace rankscope::app
