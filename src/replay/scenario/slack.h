// Slack: how much longer each node could take before a counted step ends later.
//
// The computation goes backwards from the ends of steps, like the replay goes forwards. The latest
// end of a node is the earliest latest begin of its successors, minus the successor's gap; the
// members of a rendezvous must arrive before the first of their transfers must begin.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/scenario/scenario.h"

namespace rankscope {

inline constexpr std::int64_t kNoSlackKnown = INT64_MAX;

// By node; kNoSlackKnown: no counted step waits for it. O(nodes + edges).
std::vector<std::int64_t> SlackOf(const JobGraph& graph, const Scenario& scenario,
                                  const Replay& replay);

}  // namespace rankscope
