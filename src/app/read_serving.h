// What a serving program recorded, read and analysed: what `serving` says.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/serving_report.h"

namespace rankscope::app {

struct ServingSpec {
  std::vector<std::string> paths;  // files, folders and globs
  std::string objective;           // "ttft=500ms,tpot=50ms"; "" none
};

// kInvalidArgument for what is no objective.
Status CheckServingObjective(const std::string& objective);

// What is something else in a folder is passed over; a file that was named must be readable. Files
// packed with gzip or zstd are read as what they hold, up to 4 GiB each. Notices are of files that
// could not be read.
Result<ServingReport> ReadServing(const ServingSpec& spec, Listener& listener);

}  // namespace rankscope::app
