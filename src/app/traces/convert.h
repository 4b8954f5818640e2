// One trace in another form, or with its critical path laid over it: what `trace convert` does.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// Writes the trace to `to`, whose name says the form: .json, .json.gz, .json.zst, .pftrace or
// .perfetto-trace (Perfetto), .parquet (the view `events` of SQL). What is lost is a notice.
// Nothing appears at `to` when something fails.
Status ConvertTrace(const std::string& from, const std::string& to, int threads,
                    Listener& listener);

struct OverlaySpec {
  bool only_path = false;  // leaves out all rows and arrows beside the path
  std::string kernel_classes_file;
};
// Rows on the critical path get the argument critical = 1, a process on top shows it, arrows follow
// it. Of Kineto's traces, to .json or .json.gz.
Status OverlayCriticalPath(const std::string& from, const std::string& to, const OverlaySpec& spec,
                           int threads);

}  // namespace rankscope::app
