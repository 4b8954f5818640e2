// Stretches of host time with work that is not part of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct HostStalls {
  std::vector<NodeId> nodes;           // of all steps, including those that do not count
  std::vector<std::int64_t> usual_ns;  // the time of each without the stall
  void Add(NodeId node, std::int64_t ns) {
    nodes.push_back(node);
    usual_ns.push_back(ns);
  }
};

// The job without these stalls, their launches and their waits.
Scenario WithoutStalls(const RuleInput& input, const HostStalls& stalls);

// All nodes of that work, to be removed.
HostStalls StallsOf(const RuleInput& input, Work work);

// The activity, for one and for several ranks: "writes a checkpoint", "write a checkpoint".
struct Doing {
  std::string_view one;
  std::string_view many;
};

// Places, loss, the replay without them and their launches, and the title. nullopt without stalls.
std::optional<Cause> CauseOfStalls(const RuleInput& input, const HostStalls& stalls, Doing doing);

}  // namespace rankscope
