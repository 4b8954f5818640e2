// `trace merge`: several traces as one.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceMerge(CLI::App& trace, Action& action);

}  // namespace rankscope::cli
