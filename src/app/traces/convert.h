// Converts a trace, or overlays its critical path: the use case of `trace convert`.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// Writes the trace to `to`. The name selects the format: .json, .json.gz, .json.zst, .pftrace or
// .perfetto-trace (Perfetto), .parquet (the view `events` of SQL). Lost data is a notice. On
// failure nothing appears at `to`.
Status ConvertTrace(const std::string& from, const std::string& to, int threads,
                    Listener& listener);

struct OverlaySpec {
  bool only_path = false;  // leaves out all rows and arrows that are not on the path
  std::string kernel_classes_file;
};
// Rows on the critical path get the argument critical = 1, a process at the top shows it, and
// arrows follow it. Only for Kineto traces, to .json or .json.gz.
Status OverlayCriticalPath(const std::string& from, const std::string& to, const OverlaySpec& spec,
                           int threads);

}  // namespace rankscope::app
