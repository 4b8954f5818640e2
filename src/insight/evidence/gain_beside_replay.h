// What a cause gains where no replay may tell it.
#pragma once

#include <optional>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// The share of a step that a cause takes, where no replay may tell its gain: its own estimate, or
// as a bound what it takes. Null where a replay tells it, or nothing does.
std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause);

}  // namespace rankscope
