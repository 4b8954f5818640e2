// Sensors of the board and energy counters of processors.
#pragma once

#include <cstdint>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Turns a counter that wraps at a known value into one that does not. Not thread-safe.
class Unwrapped {
 public:
  // `range`: the value after which it restarts at 0; 0: unknown, and then it is left unchanged.
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
