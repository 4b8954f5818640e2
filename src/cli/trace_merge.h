// `trace merge`: several traces as one.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceMerge(CommandSpec& trace);

}  // namespace rankscope::cli
