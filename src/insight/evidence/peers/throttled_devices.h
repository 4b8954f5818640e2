// Slow devices with low clocks in telemetry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct ThrottledDevices {
  explicit ThrottledDevices(const RuleInput& input);
  std::vector<std::uint32_t> ranks;   // of SlowDevices::ranks, ascending
  std::vector<std::uint32_t> others;  // slow, and not because of their clocks
};

// Adds each rank's clock, the clock of ranks that are not slow, and the reason to its row of
// evidence, if telemetry has them.
void TellClocks(const RuleInput& input, Cause& cause);

// "1.41 GHz"
std::string ClockText(double hz);

}  // namespace rankscope
