// Slow devices whose clocks telemetry shows to be held down.
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

// Puts each rank's clock beside those of ranks that are not slow, and what holds it down, into its
// row of evidence, where telemetry has them.
void TellClocks(const RuleInput& input, Cause& cause);

// "1.41 GHz"
std::string ClockText(double hz);

}  // namespace rankscope
