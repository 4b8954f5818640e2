// What a tuning run would do, shown before it does anything.
#pragma once

#include <string>

#include "base/status.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

// kInvalidArgument for an impossible request: missing values, a missing objective, a change of a
// service that does not exist, too few trials.
Status CheckSpec(const TuneSpec& spec);

// In lines for humans; starts nothing.
Result<std::string> PlanOf(const TuneSpec& spec);

}  // namespace rankscope::tune
