// Whether what costs every step is on other ranks from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "insight/base/rule_input.h"

namespace rankscope {

class RanksInTurn {
 public:
  // Without effect for a node of a step that does not count.
  void Add(const RuleInput& input, NodeId node);
  // Of ranks and steps together.
  std::size_t size() const { return where_.size(); }
  // "; in a step on 1 of the 8 ranks, from step to step on others": where most steps have it, and
  // each on at most half of these ranks. "" elsewhere.
  std::string Text(const RuleInput& input, std::size_t ranks) const;

 private:
  std::set<std::pair<std::uint32_t, std::uint32_t>> where_;  // rank, step
};

}  // namespace rankscope
