// Waits for values that the host then works with: generated tokens before their reward is computed,
// gradients before they are updated on the CPU.
#pragma once

#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct NeededWaits {
  // The only wait of a step for copies to the host after which its thread works for kLongRunNs and
  // for 1% of a step in long stretches (HostStretches) before it launches or waits again. The
  // recording does not show what the work reads. A loop that waits and works again and again could
  // run ahead, or its values would not be read one by one. O(nodes + edges).
  explicit NeededWaits(const RuleInput& input);

  // `waiting`: the node with the wait's edges.
  bool Has(NodeId waiting) const;

 private:
  std::vector<NodeId> nodes_;  // ascending
};

}  // namespace rankscope
