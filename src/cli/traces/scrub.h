// `trace scrub`: removes private data, so that traces can be shared.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

// Adds it to the command `trace`.
void AddTraceScrub(CommandSpec& trace);

}  // namespace rankscope::cli
