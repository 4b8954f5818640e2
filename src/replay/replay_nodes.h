// The inner loop of replays: times of nodes from those of what they wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

// Fills in begin and end, by node, of the nodes at the places [from, to) of the graph's order, and
// of the members of a rendezvous that begins there. Those of the places before `from` are known.
// Returns the place behind the last that was gone through.
std::size_t ReplayNodes(const JobGraph& graph, const Scenario& scenario, std::size_t from,
                        std::size_t to, std::vector<std::int64_t>& begin,
                        std::vector<std::int64_t>& end);

}  // namespace rankscope
