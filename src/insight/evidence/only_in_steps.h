// What some steps do that the others do not.
#pragma once

#include <string>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// The function of the user's that runs in these steps and in no other that
// counts, with the most time of its
// own there: "train.py(201): validate". "" without stacks, and where there is none. `is_one` by
// step of the graph.
std::string FunctionOnlyIn(const RuleInput& input, const std::vector<bool>& is_one);

// How many times as many products run forward in these steps as in the other counted ones, on the
// rank on which it is most; 1 where backward has more of them, too, or where there is no backward:
// then it is a larger step, and no evaluation.
double TimesForward(const RuleInput& input, const std::vector<bool>& is_one);

}  // namespace rankscope
