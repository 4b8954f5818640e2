// Which of the causes found are told.
#pragma once

#include <vector>

#include "insight/choice/found.h"
#include "insight/choice/unprofiled.h"

namespace rankscope {

// The causes that matter, each told once: what those before it explain is left out.
std::vector<Found> ChosenOf(const RuleInput& input, GainsTogether& together,
                            const Unprofiled& unprofiled, std::vector<Found> weighed);

}  // namespace rankscope
