// StepTimesOf: step times in several scenarios, from one pass over the graph.
//
// Step times do not need times of single nodes, so these are not kept (step_pass.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "replay/scenario/scenario.h"
#include "replay/scenario/step_ends.h"

namespace rankscope {

// The maximum number of scenarios in a pass.
inline constexpr std::size_t kScenariosPerPass = 8;

// Equal to the steps of Replay(scenario) for each of the scenarios, which must belong to `graph`. A
// pass over the graph for every kScenariosPerPass of them, O(nodes + edges) for each scenario; 8
// bytes per slot and scenario of a pass, 16 where work overlaps.
std::vector<StepEnds> StepTimesOf(const JobGraph& graph,
                                  std::span<const Scenario* const> scenarios);

// The same of one.
StepEnds StepTimesOf(const Scenario& scenario);

}  // namespace rankscope
