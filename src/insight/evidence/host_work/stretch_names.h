// What stretches of a host thread are called.
#pragma once

#include <string>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Made once for each kind of node, not for each node.
class StretchNames {
 public:
  explicit StretchNames(const RuleInput& input);

  // What runs there: the frame of the user's code where one is known, else the row's name without
  // numbers; "" where nothing is known: a step's mark ("ProfilerStep#12") is no name.
  const std::string& Of(NodeId node) const {
    const CodeSite* const site = graph_->SiteOf(node);
    if (site != nullptr && !site->function.empty()) return site->function;
    return of_kind_[graph_->nodes().KindOf(node)];
  }

 private:
  const JobGraph* graph_;
  std::vector<std::string> of_kind_;  // "" of devices' kinds
};

}  // namespace rankscope
