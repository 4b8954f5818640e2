// How much of steps devices do not compute: what no cause on the host can gain more than.
#pragma once

#include "insight/base/rule_input.h"

namespace rankscope {

struct DeviceIdle {
  explicit DeviceIdle(const RuleInput& input);

  // Of the mean step, on the rank whose device computes least of it: 0 to 1; 1 without device work.
  double share = 1;
};

}  // namespace rankscope
