// The trace files of paths.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::app {

// Takes files, folders and globs. An error if a subfolder cannot be listed; otherwise files would
// be missing silently.
Result<std::vector<std::string>> AllTraceFiles(const std::vector<std::string>& paths);

}  // namespace rankscope::app
