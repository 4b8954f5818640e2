// Updates the rows of all runs of a store.
#pragma once

#include <cstdint>
#include <string>

#include "app/fleet/fleet_folder.h"
#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// Computes the rows of new and changed runs, removes those of removed runs, and leaves the rest
// unchanged; a second call does nothing. Rows are saved every few hundred runs, so an interrupted
// process continues where it was. A run with damaged parts gives a notice and has no rows. About 10
// ms per run; concurrent processes wait for each other. If nothing has changed, nothing is written.
// `catalogue`: see StoreOptions.
Result<FleetManifest> UpdateFleet(const std::string& data, const std::string& catalogue,
                                  Listener& listener);

}  // namespace rankscope::app
