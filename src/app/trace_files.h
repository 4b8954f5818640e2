// The trace files of a job, before any is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::app {

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;  // on disk
};

// The files that OpenJob would read, sorted by name. An error if it would find none.
Result<std::vector<TraceFile>> TraceFilesOf(const std::vector<std::string>& paths);

}  // namespace rankscope::app
