// What a job is like unless told otherwise, and its parallel dimensions from what was typed.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sim/model/options.h"

namespace rankscope::sim {

// "tp=2,pp=4,dp=2": sets options->degrees, and the number of ranks to their product. Nothing when
// empty.
Status ParseLayout(std::string_view text, SimulateOptions* options);

// Chooses degrees that fit the number of ranks unless those that are set do, and a model.
SimulateOptions WithDefaults(SimulateOptions options);

}  // namespace rankscope::sim
