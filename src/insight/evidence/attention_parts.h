// Attention as separate products, masks and softmax: what lies between the products.
#pragma once

#include "insight/base/rule_input.h"
#include "insight/evidence/selection.h"

namespace rankscope {

struct AttentionParts {
  // O(nodes).
  explicit AttentionParts(const RuleInput& input);

  // Computing of a stream between two batched products, where a softmax is among it.
  Selection between;
  // Whether the node is one, and they are enough to be told as that: then no other rule tells them.
  bool Claims(NodeId node) const { return is_told && between.Has(node); }
  bool is_told = false;
};

}  // namespace rankscope
