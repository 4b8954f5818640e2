// What can be won back at most without a replay: the time in which devices do not compute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Shares of complete steps by the accounting of device time (docs/accounting.md), without what was
// not observed. 0 to 1; 1 for a rank of which no step was accounted.
struct DeviceIdle {
  explicit DeviceIdle(const RuleInput& input);

  // By rank, of its device with the least computing: it does not compute; nor copies, the most that
  // what keeps it waiting can cost.
  std::vector<double> with_copies, share;

  // The largest of these ranks.
  static double MostOf(const std::vector<double>& shares, std::span<const std::uint32_t> ranks);
};

}  // namespace rankscope
