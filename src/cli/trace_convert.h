// rankscope trace convert: a trace packed in another way, or with something laid over it.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

void AddTraceConvert(CommandSpec& trace);

}  // namespace rankscope::cli
