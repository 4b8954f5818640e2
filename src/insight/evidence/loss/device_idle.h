// What can be won back at most without a replay: the time in which devices do not compute.
#pragma once

#include "insight/base/rule_input.h"

namespace rankscope {

// Shares of complete steps, of the device with the least computing, by the accounting of device
// time (docs/accounting.md), without what was not observed: 0 to 1; 1 where no step was accounted.
struct DeviceIdle {
  explicit DeviceIdle(const RuleInput& input);

  double with_copies = 1;  // it does not compute
  double share = 1;        // nor copies: the most that what keeps it waiting can cost
};

}  // namespace rankscope
