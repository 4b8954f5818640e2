// Reasons for reduced clocks, from the bits of NVIDIA's driver. NVML reports them, and DCGM's field
// 112 has the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::device {

// "idle", "hardware_thermal", as in DeviceState::slowed_by. Bits without a name are left out.
std::vector<std::string> SlowdownsOf(std::uint64_t bits);

}  // namespace rankscope::device
