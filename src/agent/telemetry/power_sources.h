// What sensors of the board and energy counters of processors tell.
#pragma once

#include <cstdint>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// A counter that wraps at a known value, as one that does not. Not for several threads.
class Unwrapped {
 public:
  // `range`: the value behind which it begins at 0; 0: not known, and then it is as it is.
  std::uint64_t Next(std::uint64_t value, std::uint64_t range);

 private:
  std::uint64_t before_ = 0;
  std::uint64_t added_ = 0;
};

// rankscope_power_energy_joules_total{zone="package-0"} of /sys/class/powercap (RAPL): zones and
// their parts. The files are root's alone on most kernels.
Source PowercapSource();

// Temperatures, power and fans of /sys/class/hwmon.
Source HwmonSource();

}  // namespace rankscope::agent
