// `trace stacks`: call stacks for flame graphs.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceStacks(CLI::App& trace, Action& action);

}  // namespace rankscope::cli
