// The order of findings in reports.
#pragma once

#include <vector>

#include "insight/choice/found.h"

namespace rankscope {

// By severity, then by gain; each with the combined gain of all up to it. General causes explained
// by those above are left out.
std::vector<Found> InTellingOrder(const RuleInput& input, GainsTogether& together,
                                  std::vector<Found> found);

}  // namespace rankscope
