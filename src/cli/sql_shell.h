// The shell of `rankscope query PATH` on a terminal: statements that end in a semicolon, and
// commands that begin with a point (.help).
#pragma once

#include "app/sql_session.h"
#include "base/status.h"
#include "cli/interrupt.h"

namespace rankscope::cli {

// Until the user leaves. Ctrl-C ends the statement that runs or the line that is typed, not the
// shell. A statement that fails says why, and the next may be typed.
Status RunSqlShell(app::OpenedJob& job, const app::SqlOptions& options,
                   const InterruptFlag& interrupted);

}  // namespace rankscope::cli
