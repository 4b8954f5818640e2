// `trace filter`: a copy of a trace with some of its events.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceFilter(CommandSpec& trace);

}  // namespace rankscope::cli
