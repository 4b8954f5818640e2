// What single steps would take if only their own work were otherwise, without replaying the whole
// job for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

// For each of `steps`, which ascend, its time where its own nodes are as in the scenario and all
// others as recorded: equal to a replay of that. The scenario cuts nothing, nothing overlaps.
//
// Of the order of a replay, work before the first node of the step is as it was, and work behind
// the last node that ends the step, or one before it, decides nothing: what lies between is gone
// through again. So all steps together cost a pass over the graph and each step's part of one more,
// of which up to `threads` are gone through side by side; 8 bytes per slot for each of these.
std::vector<std::int64_t> TimesOfStepsAlone(const Scenario& scenario,
                                            std::span<const std::size_t> steps, int threads = 1);

}  // namespace rankscope
