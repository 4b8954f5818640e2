// The trace files that paths mean.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::app {

// Of files, folders and globs. An error where a folder below cannot be listed: what is made of the
// files would silently lack some.
Result<std::vector<std::string>> AllTraceFiles(const std::vector<std::string>& paths);

}  // namespace rankscope::app
