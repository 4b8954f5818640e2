// Slack: how much longer each node could take before a counted step ends later.
//
// Backwards from the ends of steps, as the replay goes forwards: a node may end as late as the
// first of what waits for it must begin, less that one's gap; the members of a rendezvous must have
// come by when the first of their transfers must begin.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

inline constexpr std::int64_t kNoSlackKnown = INT64_MAX;

// By node; kNoSlackKnown: no counted step waits for it. O(nodes + edges).
std::vector<std::int64_t> SlackOf(const JobGraph& graph, const Scenario& scenario,
                                  const Replay& replay);

}  // namespace rankscope
