// `trace stacks`: call stacks for flame graphs.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceStacks(CommandSpec& trace);

}  // namespace rankscope::cli
