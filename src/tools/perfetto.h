// Converts a trace to Perfetto's own protobuf (docs/trace-tools.md describes the mapping).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::tools {

struct PerfettoReport {
  std::vector<std::string> losses;  // sentences on what could not be read
};

// Loads the trace for its order, tracks and links; arguments pass through a temporary file beside
// `to`. Memory: about 64 bytes per event. Refuses a merged file with several traces.
Result<PerfettoReport> WritePerfetto(const std::string& from, const std::string& to, int threads);

}  // namespace rankscope::tools
