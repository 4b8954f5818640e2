// Gains of causes without a replay.
#pragma once

#include <optional>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// The largest share of a step that a cause can cost: what only keeps devices waiting, no more than
// those of its ranks wait.
double MostWonBack(const RuleInput& input, const Cause& cause);

// The gain of a cause without a replay, as a share of a step: its own estimate or, as a bound, its
// time. Null if a replay gives the gain, or if nothing is known.
std::optional<double> GainBesideReplay(const RuleInput& input, const Cause& cause);

}  // namespace rankscope
