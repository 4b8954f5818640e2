// Unnecessary device work of a program.
#pragma once

#include <string>
#include <vector>

#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/removal.h"

namespace rankscope {

// The nodes of all steps, and their sums over counted steps.
class Selection {
 public:
  explicit Selection(const RuleInput& input)
      : input_(&input), has_(input.graph().nodes().size(), false), sums_(input) {}

  void Add(NodeId node) {
    has_[node] = true;
    sums_.Add(node, static_cast<double>(input_->graph().nodes()[node].duration_ns));
  }
  bool Has(NodeId node) const { return has_[node]; }
  const NodeSums& sums() const { return sums_; }

  // The job without them and the host work that launches them.
  Scenario Without() const {
    Scenario scenario = input_->recorded();
    Remove(WithLaunches(input_->graph(), has_), scenario);
    return scenario;
  }
  // Whether a host waits for one of them.
  bool HasWaits() const;
  // And without waits of hosts for them, and host work that reads their values.
  Scenario WithoutAndItsWaits() const;
  // "; launching them takes the host 1.2 ms": what it does no longer in `without`, in a step of a
  // rank that has them. "" where that is little beside what they take themselves.
  std::string LaunchingText(const Scenario& without) const;

 private:
  const RuleInput* input_;
  std::vector<bool> has_;
  NodeSums sums_;
};

// The nodes of steps with is_one(node, kind).
template <typename Predicate>
Selection Select(const RuleInput& input, const Predicate& is_one) {
  Selection selection(input);
  const JobGraph& graph = input.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.StepOf(node) != kNoStep && is_one(node, graph.KindOf(node))) selection.Add(node);
  }
  return selection;
}

// The same for is_one(kind), evaluated once per kind: kinds are few, nodes are many.
template <typename Predicate>
Selection SelectKinds(const RuleInput& input, const Predicate& is_one) {
  const KindsThat are_selected(input.graph(), is_one);
  return Select(input, [&](NodeId node, const NodeKind&) { return are_selected.Has(node); });
}

}  // namespace rankscope
