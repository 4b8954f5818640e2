// The critical path over all ranks: from the end of the last counted step back through what each
// node waited for; through a rendezvous to the member that arrived last.
//
// It covers every instant between the begin of the first counted step and the end of the last
// exactly once, so its parts sum to the steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/scenario/scenario.h"

namespace rankscope {

struct JobPathPiece {
  enum class Kind : std::uint8_t {
    kWork,         // of the node
    kLaunch,       // before device work with the launch as its last predecessor
    kKernelGap,    // before device work that waited for device work, up to kGapLimitNs
    kUnexplained,  // before the node, without a recorded reason
  };
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  NodeId node = kNoNode;  // that worked, or began at the end of the piece; kNoNode: before all
  Kind kind = Kind::kWork;
};

// In order of time. O(nodes on the path).
std::vector<JobPathPiece> JobPath(const JobGraph& graph, const Scenario& scenario,
                                  const Replay& replay);

// The part of the path: ToString(Work), "launch", "kernel gap" or "unexplained".
std::string_view PartOf(const JobGraph& graph, const JobPathPiece& piece);

}  // namespace rankscope
