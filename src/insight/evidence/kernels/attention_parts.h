// Attention as separate products, masks and softmax: the work between the products.
#pragma once

#include "insight/base/rule_input.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

struct AttentionParts {
  // O(nodes).
  explicit AttentionParts(const RuleInput& input);

  // Computing on a stream between two batched products, if it includes a softmax.
  Selection between;
  // Whether the node is one, and they are enough to be reported; then no other rule reports them.
  bool Claims(NodeId node) const { return is_told && between.Has(node); }
  bool is_told = false;
};

}  // namespace rankscope
