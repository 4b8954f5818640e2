// The shell of `rankscope query PATH` on a terminal: statements that end in a semicolon, and
// commands that begin with a point (.help).
#pragma once

#include "base/status.h"
#include "cli/interrupt.h"
#include "engine/job.h"
#include "sql/query.h"

namespace rankscope::cli {

// Until the user leaves. Ctrl-C ends the statement that runs or the line that is typed, not the
// shell. A statement that fails says why, and the next may be typed.
Status RunSqlShell(Job& job, const sql::QueryOptions& options, const InterruptFlag& interrupted);

}  // namespace rankscope::cli
