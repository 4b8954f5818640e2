// `trace scrub`: traces that can be shown to others.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceScrub(CommandSpec& trace);

}  // namespace rankscope::cli
