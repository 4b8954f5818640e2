// An op of the program's own whose forward is far slower than its backward.
#pragma once

#include <optional>
#include <string_view>

#include "insight/evidence/loss/selection.h"

namespace rankscope {

struct SlowForward {
  std::string_view op;     // of the graph
  Selection forward;       // its kernels
  double of_backward = 0;  // how many times as long as those of its backward
  double of_copy = 0;      // and as a copy of its inputs at the memory's bandwidth
};

// A subclass of autograd.Function ("FusedRope" and "FusedRopeBackward") with one or two tensors as
// inputs. Its backward reads as much and computes as much, so it shows what the forward could take;
// the copy shows that the forward does not make up for it by computing gradients itself. The one
// that takes most of those that take at least 5 times as long as both; nullopt without any.
// O(nodes).
std::optional<SlowForward> SlowForwardOf(const RuleInput& input);

}  // namespace rankscope
