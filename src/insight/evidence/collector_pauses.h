// Stretches in which Python's collector stops the program: by its frames, and by what else could
// not be.
#pragma once

#include <vector>

#include "insight/evidence/host_stalls.h"

namespace rankscope {

class CollectorPauses {
 public:
  explicit CollectorPauses(const RuleInput& input);

  const HostStalls& stalls() const { return stalls_; }
  bool Has(NodeId node) const { return !has_.empty() && has_[node]; }

 private:
  HostStalls stalls_;
  std::vector<bool> has_;  // by node; empty: there are none
};

}  // namespace rankscope
