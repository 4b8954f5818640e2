// The shell of `rankscope query PATH` on a terminal: statements that end with a semicolon, and
// commands that begin with a dot (.help).
#pragma once

#include "app/sql_session.h"
#include "base/status.h"
#include "cli/base/interrupt.h"

namespace rankscope::cli {

// Runs until the user leaves. Ctrl-C ends the running statement or the current line, not the shell.
// A failed statement prints its error, and the shell continues.
Status RunSqlShell(app::OpenedJob& job, const app::SqlOptions& options,
                   const InterruptFlag& interrupted);

}  // namespace rankscope::cli
