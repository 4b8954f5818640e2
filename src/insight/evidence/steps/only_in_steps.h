// Work that only some steps have.
#pragma once

#include <string>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// The function of the user's that runs in these steps and in no other that counts, with the most
// time of its own there: "train.py(201): validate". "" without stacks, and where there is none.
// `is_one` by step of the graph.
std::string FunctionOnlyIn(const RuleInput& input, const std::vector<bool>& is_one);

// How many times as much forward these steps run as the other counted ones: by the number of
// products and by that of all other kernels, the lower of both, on the rank with the highest. 1 if
// backward also has more of them, or if there is no backward: then it is a larger step and not an
// evaluation.
double TimesForward(const RuleInput& input, const std::vector<bool>& is_one);

}  // namespace rankscope
