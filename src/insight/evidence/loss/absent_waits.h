// Waits for ranks that were not recorded: a replay keeps them as they are, whatever it changes.
#pragma once

#include "insight/base/rule_input.h"

namespace rankscope {

struct AbsentWaits {
  // O(collectives).
  explicit AbsentWaits(const RuleInput& input);

  // Of the rank with most of it: the share of complete steps inside collectives of which a member
  // was not recorded, so that waiting and transfer cannot be told apart. 0 without any.
  double most = 0;
};

}  // namespace rankscope
