// The trace files of a job, before any is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::app {

struct TraceFile {
  std::string path;
  std::uint64_t bytes = 0;  // as it lies on disk
};

// What OpenJob would read of these paths, by name. An error where it would find none.
Result<std::vector<TraceFile>> TraceFilesOf(const std::vector<std::string>& paths);

}  // namespace rankscope::app
