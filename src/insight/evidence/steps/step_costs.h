// The steps in which a cause has a cost.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// Sums what nodes lose by step; then the steps of the graph that lose kLowGain of the mean step or
// more on some rank, and a tenth of what the one that loses most does: the rest is scatter. Nodes
// of steps that do not count are passed over.
class StepCosts {
 public:
  explicit StepCosts(const RuleInput& input)
      : input_(&input), lost_ns_(input.graph().steps().size() * input.ranks(), 0) {}

  void Add(NodeId node, std::int64_t lost_ns) {
    if (!input_->Counts(node)) return;
    lost_ns_[input_->graph().StepOf(node) * input_->ranks() + input_->RankOf(node)] += lost_ns;
  }
  // Sets the cause's steps; empty (all) if they include every counted step. Else also what it loses
  // in those of each rank that have it, in the mean.
  void TellIn(Cause& cause) const;

 private:
  const RuleInput* input_;
  std::vector<std::int64_t> lost_ns_;  // by step and rank
};

}  // namespace rankscope
