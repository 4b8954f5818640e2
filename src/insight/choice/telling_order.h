// The order in which findings are told.
#pragma once

#include <vector>

#include "insight/choice/found.h"

namespace rankscope {

// By severity, then by what they gain; each with what all up to it gain together. What has no name
// and is explained by those above it is left out.
std::vector<Found> InTellingOrder(const RuleInput& input, GainsTogether& together,
                                  std::vector<Found> found);

}  // namespace rankscope
