// A report of a serving program as a folder, for servers.
#pragma once

#include <string>

#include "base/status.h"
#include "report/serving/serving_report.h"

namespace rankscope::app {

// Creates `folder` with "report.json" (as serving --format json), "view.json" (what the page
// draws), "summary.json" and "NAME.parquet" of every table. It has no timeline: there are no ranks.
Status WriteServingFolder(const ServingReport& report, const std::string& folder);

}  // namespace rankscope::app
