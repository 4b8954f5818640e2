// A trace as Perfetto's own protobuf (docs/trace-tools.md says what becomes what).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::tools {

struct PerfettoReport {
  std::vector<std::string> losses;  // sentences on what could not be read
};

// Loads the trace for its order, tracks and links; arguments pass through a temporary file beside
// `to`. Memory: about 64 bytes per event. A merged file of several traces is refused.
Result<PerfettoReport> WritePerfetto(const std::string& from, const std::string& to, int threads);

}  // namespace rankscope::tools
