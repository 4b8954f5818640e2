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

// The number of forward products in these steps relative to the other counted ones, on the rank
// with the highest ratio; that of all other kernels where these are hardly more. 1 if backward also
// has more of them, or if there is no backward: then it is a larger step and not an evaluation.
double TimesForward(const RuleInput& input, const std::vector<bool>& is_one);

}  // namespace rankscope
