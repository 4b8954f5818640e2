// Calls that launch device work, each with the work that it launched.
#pragma once

#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct Launch {
  NodeId call = kNoNode;
  NodeId work = kNoNode;  // a kernel or communication, which begins when the call has launched it
};

// For all steps, in the order of the launched work; a call that launches a graph appears for each
// of its kernels. O(nodes + edges).
struct LaunchesOfWork {
  explicit LaunchesOfWork(const RuleInput& input);
  std::vector<Launch> all;
};

}  // namespace rankscope
