// rankscope trace convert: changes a trace's packing, or overlays something on it.
#pragma once

#include "cli/base/command.h"

namespace rankscope::cli {

void AddTraceConvert(CommandSpec& trace);

}  // namespace rankscope::cli
