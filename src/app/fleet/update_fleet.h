// Brings the rows of all runs of a store up to date.
#pragma once

#include <cstdint>
#include <string>

#include "app/fleet/fleet_folder.h"
#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// Makes the rows of runs that came or changed, removes those of runs that went, and leaves the rest
// alone; the second time nothing is done. Every few hundred runs what was made is kept, so that a
// process that ends goes on where it was. A run whose parts are damaged is a notice, and has no
// rows. About 10 ms a run; processes side by side wait for each other. Where nothing has to be done
// nothing is written.
// `catalogue` as of StoreOptions.
Result<FleetManifest> UpdateFleet(const std::string& data, const std::string& catalogue,
                                  Listener& listener);

}  // namespace rankscope::app
