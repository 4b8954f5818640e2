// `trace merge`: merges several traces into one.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceMerge(CommandSpec& trace);

}  // namespace rankscope::cli
