// The share of steps in which devices do not compute: an upper bound for gains of host causes.
#pragma once

#include "insight/base/rule_input.h"

namespace rankscope {

struct DeviceIdle {
  explicit DeviceIdle(const RuleInput& input);

  // Share of the mean step on the rank with the least computing: 0 to 1; 1 without device work.
  double share = 1;
};

}  // namespace rankscope
