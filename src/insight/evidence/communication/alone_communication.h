// Communication whose partners were not recorded, or on clocks that are not known to each other:
// how much of it is waiting for them is not known.
#pragma once

#include <optional>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Whether most of the time of communication, in counted steps, lacks members in the recording.
bool MostIsAlone(const RuleInput& input);

// What such communication costs at most, as a bound with low confidence: replayed without it, but
// for the first and last of each step. Where nobody seems to be late and most members were
// recorded, only that of data parallelism. nullopt: there is none.
std::optional<Cause> CauseOfAlone(const RuleInput& input);

}  // namespace rankscope
