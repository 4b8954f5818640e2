// Updates of tensors one by one behind the backward, outside of an optimizer.
#pragma once

#include <cstdint>

#include "insight/base/rule_input.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

// Kernels of in-place ops on single tensors (mul_, add_, lerp_, ...) and of their norms in runs of
// eight and more: on the stream, only other elementwise kernels lie between them. What another
// forward or a metric does (a residual behind each product) is none.
struct LooseUpdates {
  // O(nodes).
  explicit LooseUpdates(const RuleInput& input);

  enum class Of : std::uint8_t {
    kAverage,    // mul_ and add_ alternate: a moving average of weights
    kOptimizer,  // addcdiv_: an optimizer of the program's own, such as Adam
    kClipping,   // norms, with mul_ behind them or without: of gradients
    kOther,      // lerp_ and the like: lists of them move as many bytes
  };

  Selection updates;
  Of of = Of::kOther;
  // Whether they are enough to be reported; then no other rule reports them.
  bool are_many = false;
  bool Claims(NodeId node) const { return are_many && updates.Has(node); }
};

}  // namespace rankscope
