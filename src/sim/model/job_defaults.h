// A job's default options, and the parsing of its parallel dimensions.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sim/model/options.h"

namespace rankscope::sim {

// "tp=2,pp=4,dp=2": sets options->degrees, and the number of ranks to their product. Does nothing
// if `text` is empty.
Status ParseLayout(std::string_view text, SimulateOptions* options);

// Chooses a model, and degrees that fit the number of ranks unless those set already do.
SimulateOptions WithDefaults(SimulateOptions options);

}  // namespace rankscope::sim
