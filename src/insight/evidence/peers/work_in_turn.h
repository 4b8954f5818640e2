// Work that some ranks have and their peers do not, on other ranks from step to step: the longer
// generations of a batch, the longer one of two samples.
#pragma once

#include <optional>
#include <string>

#include "insight/evidence/loss/selection.h"

namespace rankscope {

struct WorkInTurn {
  Selection beyond;    // kernels at places that at most half of the peers have in that step
  std::string who;     // "1 of the 4 ranks, from step to step another one,"
  double most_ns = 0;  // the largest part of a rank in a step, in the mean of the steps
};

// nullopt where it is on the same ranks in every step, or too little to matter. O(nodes log nodes).
std::optional<WorkInTurn> FindWorkInTurn(const RuleInput& input);

}  // namespace rankscope
