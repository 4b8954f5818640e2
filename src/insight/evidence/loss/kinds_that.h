// The kinds of nodes that satisfy a predicate, evaluated once per kind, not per node.
#pragma once

#include <algorithm>
#include <vector>

#include "replay/job_graph/job_graph.h"

namespace rankscope {

class KindsThat {
 public:
  // Evaluates is_one(kind) for each kind of the graph, which must outlive it.
  template <typename Predicate>
  KindsThat(const JobGraph& graph, const Predicate& is_one) : graph_(&graph) {
    has_.reserve(graph.kinds().size());
    for (const NodeKind& kind : graph.kinds()) has_.push_back(is_one(kind));
  }
  bool None() const { return std::ranges::find(has_, true) == has_.end(); }
  bool Has(NodeId node) const { return has_[graph_->nodes().KindOf(node)]; }

 private:
  const JobGraph* graph_;
  std::vector<bool> has_;
};

}  // namespace rankscope
