// Stretches of host time in which the program does what is no part of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct HostStalls {
  std::vector<NodeId> nodes;           // of all steps, those that do not count among them
  std::vector<std::int64_t> usual_ns;  // what each would take without the stall
  void Add(NodeId node, std::int64_t ns) {
    nodes.push_back(node);
    usual_ns.push_back(ns);
  }
};

// The job without these stalls, and without what they launch and wait for.
Scenario WithoutStalls(const RuleInput& input, const HostStalls& stalls);

// All nodes of that work, which would not be.
HostStalls StallsOf(const RuleInput& input, Work work);

// What ranks do, of one and of several: "writes a checkpoint", "write a checkpoint".
struct Doing {
  std::string_view one;
  std::string_view many;
};

// Where they are, what they lose, the replay without them and what they launch, and the sentence.
// None without stalls.
std::optional<Cause> CauseOfStalls(const RuleInput& input, const HostStalls& stalls, Doing doing);

}  // namespace rankscope
