// The same kernels, that take longer on another rank from step to step.
#pragma once

#include <optional>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Kernels of one place, inputs and launch whose times the ranks of a step do not share, while none
// of them is slow: what they work on differs (lengths or indices that no shape tells), or something
// else runs beside them. Replayed with what they take the middle rank of each step (of two, the
// lower). Nullopt where that is less than 3 % of a step, where most are the same ranks' (a rank's
// matter: RanksBeyond), and where clocks are not known to each other.
// O(nodes) to see that there is none, O(n log n) else.
std::optional<Cause> CauseOfKernelsInTurn(const RuleInput& input);

}  // namespace rankscope
