// Many small copies from the host to its device in a step, each launched on its own.
#pragma once

#include "insight/base/rule_input.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

struct SmallCopies {
  // Copies that take so little that their bytes hardly count, of steps in which a rank makes many;
  // but for the first of these, into which the others fit. O(nodes).
  explicit SmallCopies(const RuleInput& input);

  Selection beyond_first;
  double steps = 0;  // of ranks, that count and have such copies
};

}  // namespace rankscope
