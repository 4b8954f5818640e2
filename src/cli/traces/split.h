// `trace split`: splits a trace into several.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceSplit(CommandSpec& trace);

}  // namespace rankscope::cli
