// A load run against a server, and its analysis.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "load/run_load.h"
#include "report/serving/serving_report.h"

namespace rankscope::app {

// Runs it, then reads its output in spec.folder like `serving`. `objective`: see ParseObjective, ""
// for none. Errors are those of load::RunLoad and ReadServing.
Result<ServingReport> RunLoad(load::LoadSpec spec, const std::string& objective,
                              const load::LoadWatch& watch, Listener& listener);

}  // namespace rankscope::app
