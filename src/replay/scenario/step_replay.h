// The time of single steps if only their own work changes, without a replay of the whole job for
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/scenario/scenario.h"

namespace rankscope {

// For each of `steps`, in ascending order, its time if its own nodes are as in the scenario and all
// others as recorded; equal to a replay of that. The scenario must not cut edges or overlap nodes.
//
// In the order of a replay, work before the first node of the step is unchanged, and work after the
// last node that ends this step or an earlier one does not matter. Only the part between is
// replayed. So all steps together cost one pass over the graph, plus each step's part of another
// pass. Up to `threads` parts run in parallel; 8 bytes per slot for each.
std::vector<std::int64_t> TimesOfStepsAlone(const Scenario& scenario,
                                            std::span<const std::size_t> steps, int threads = 1);

}  // namespace rankscope
