// Selects the causes to report.
#pragma once

#include <vector>

#include "insight/choice/found.h"
#include "insight/choice/unprofiled.h"

namespace rankscope {

// The significant causes, each once: causes explained by earlier ones are left out.
std::vector<Found> ChosenOf(const RuleInput& input, GainsTogether& together,
                            const Unprofiled& unprofiled, std::vector<Found> weighed);

}  // namespace rankscope
