// Why clocks are held down, of the bits that NVIDIA's driver has for it. NVML tells them, and
// DCGM's field 112 hands the same ones on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::device {

// "idle", "hardware_thermal", as DeviceState::slowed_by has them. Bits without a name are left out.
std::vector<std::string> SlowdownsOf(std::uint64_t bits);

}  // namespace rankscope::device
