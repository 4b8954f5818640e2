// A command of `rankscope fleet`.
#pragma once

#include "contract/command.h"

namespace rankscope::cli {

void AddFleetHours(CommandSpec& fleet);

}  // namespace rankscope::cli
