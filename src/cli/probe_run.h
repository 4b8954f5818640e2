// Commands of `rankscope probe` that read devices.
#pragma once

#include "contract/command.h"

namespace rankscope::cli {

void AddProbeEval(CommandSpec& probe);
void AddProbeRecord(CommandSpec& probe);
void AddProbeReplay(CommandSpec& probe);

// --root DIR.
inline constexpr const char* kRootAbout = "read files below this folder in place of /";

}  // namespace rankscope::cli
