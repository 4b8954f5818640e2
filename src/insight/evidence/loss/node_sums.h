// The nodes of a cause in counted steps, and their loss.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"
#include "insight/evidence/steps/step_costs.h"

namespace rankscope {

class NodeSums {
 public:
  explicit NodeSums(const RuleInput& input) : input_(&input), steps_(input) {}

  // No effect for a node in a step that does not count.
  void Add(NodeId node, double lost_ns);
  // The same, attributed to another node with the loss in place of its own time.
  void AddShown(NodeId node, NodeId shown, double lost_ns);
  // Time lost by the node's step, at none of these nodes.
  void AddLost(NodeId node, double lost_ns) {
    lost_ns_ += input_->Counts(node) ? lost_ns : 0;
    steps_.Add(node, static_cast<std::int64_t>(lost_ns));
  }

  bool empty() const { return nodes_.empty(); }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const std::set<std::uint32_t>& ranks() const { return ranks_; }
  double lost_ns() const { return lost_ns_; }
  // Mean per step of a rank with such nodes; 0 if there are none.
  double CountPerStep() const { return PerStep(static_cast<double>(nodes_.size())); }
  double LostPerStep() const { return PerStep(lost_ns_); }
  double PerStep(double sum) const;

  // Sets the cause's ranks, steps, places and loss.
  void TellIn(Cause& cause) const;

 private:
  const RuleInput* input_;
  void AddAt(NodeId node, NodeId shown, std::int64_t time_ns, double lost_ns);

  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> times_;  // that nodes_ are said to take
  std::set<std::uint32_t> ranks_;
  double lost_ns_ = 0;
  StepCosts steps_;
};

}  // namespace rankscope
