// A load run against a server, and what it shows.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "load/run_load.h"
#include "report/serving_report.h"

namespace rankscope::app {

// Runs it, then reads what it wrote into spec.folder as `serving` does. `objective` as
// ParseObjective takes it, "" none. Errors as load::RunLoad's and ReadServing's.
Result<ServingReport> RunLoad(load::LoadSpec spec, const std::string& objective,
                              const load::LoadWatch& watch, Listener& listener);

}  // namespace rankscope::app
