// `trace split`: a trace as several.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceSplit(CLI::App& trace, Action& action);

}  // namespace rankscope::cli
