// Equal kernels that are slow on a different rank in each step.
#pragma once

#include <optional>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Kernels with the same place, inputs and launch but different times over the ranks of a step,
// while no rank is slow: their data differs (lengths or indices that shapes do not show), or other
// work runs at the same time. Replayed with the time of the middle rank of each step (of two, the
// lower). nullopt if that is less than 3 % of a step, if most are on the same ranks (then see
// RanksBeyond), or if clock offsets are unknown. O(nodes) if there are none, otherwise O(n log n).
std::optional<Cause> CauseOfKernelsInTurn(const RuleInput& input);

}  // namespace rankscope
