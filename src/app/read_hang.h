// Dumps of Flight Recorders, read and analysed: what `hang` says of a job that stands still.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/hang_report.h"

namespace rankscope::app {

// `paths` are dumps, folders and globs. What is something else in a folder is passed over; a path
// that was named must be a dump. Of each rank one dump is wanted. Damaged dumps are notices.
Result<HangReport> ReadHang(const std::vector<std::string>& paths, int threads, Listener& listener);

}  // namespace rankscope::app
