// Reads and analyses the recordings of a serving program: the use case of `serving`.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/serving/serving_report.h"

namespace rankscope::app {

struct ServingSpec {
  std::vector<std::string> paths;  // files, folders and globs
  std::string objective;           // "ttft=500ms,tpot=50ms"; "" none
};

// kInvalidArgument for an invalid objective.
Status CheckServingObjective(const std::string& objective);

// Other files in a folder are skipped; a named file must be readable. Files compressed with gzip or
// zstd are unpacked, up to 4 GiB each. Notices are about unreadable files.
Result<ServingReport> ReadServing(const ServingSpec& spec, Listener& listener);

}  // namespace rankscope::app
