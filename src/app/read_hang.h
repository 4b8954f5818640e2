// Reads and analyses dumps of Flight Recorders: the use case of `hang`.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/hang/hang_report.h"

namespace rankscope::app {

// `paths` are dumps, folders and globs. Other files in a folder are skipped; a named file must be a
// dump. There should be one dump per rank. Damaged dumps are notices.
Result<HangReport> ReadHang(const std::vector<std::string>& paths, int threads, Listener& listener);

}  // namespace rankscope::app
