// What a tuning run would do, before it does anything.
#pragma once

#include <string>

#include "base/status.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

// kInvalidArgument for what cannot be done as asked: values that are missing, an objective that is
// needed, a service that is to be changed and is none, too few trials.
Status CheckSpec(const TuneSpec& spec);

// In lines for people; starts nothing.
Result<std::string> PlanOf(const TuneSpec& spec);

}  // namespace rankscope::tune
