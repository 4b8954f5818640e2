// Stretches in which Python's garbage collector stops the program: by its frames, or by excluding
// other causes.
#pragma once

#include <vector>

#include "insight/evidence/host_work/host_stalls.h"

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
