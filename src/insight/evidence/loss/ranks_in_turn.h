// Whether a loss in every step is on different ranks from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "insight/base/rule_input.h"

namespace rankscope {

class RanksInTurn {
 public:
  // Adds a loss at the node. No effect in a step that does not count.
  void Add(const RuleInput& input, NodeId node, std::int64_t lost_ns);
  // Of ranks and steps together.
  std::size_t size() const { return lost_ns_.size(); }
  // The largest loss of a rank in each step, summed over the steps.
  std::int64_t MostOfSteps() const;
  // "1 of the 8 ranks, from step to step another one,": where most steps have it, and each on at
  // most half of these ranks, what is a fifth of the most or less left aside; no rank in over three
  // quarters of them. "" elsewhere.
  std::string Who(const RuleInput& input, std::size_t ranks) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> lost_ns_;  // by rank and step
};

}  // namespace rankscope
