// Whether a cost lies in few of the steps: what strikes single steps is another cause than what is
// there in every one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Whether a third of the steps, or fewer, have nearly all of it, and most have little. False for
// fewer than four steps. `of_steps`: the cost of each counted step. O(n log n).
bool IsOfFewSteps(std::span<const std::int64_t> of_steps);

// Whether these nodes lie in fewer than half of the counted steps.
bool LieInFewSteps(const RuleInput& input, const std::vector<NodeId>& nodes);

// The place of a step of the graph among the counted ones; of others it has no meaning.
std::vector<std::size_t> IndexOfCounted(const RuleInput& input);

}  // namespace rankscope
