#include "agent/device_numbers.h"

#include <algorithm>
#include <array>

namespace rankscope::agent {

std::span<const DeviceNumber> DeviceNumbers() {
  using device::DeviceState;
  static constexpr std::array<DeviceNumber, 12> kNumbers = {{
      {"device_busy", "ratio", &DeviceState::busy},
      {"device_power", "W", &DeviceState::power_watts},
      {"device_power_limit", "W", &DeviceState::power_limit_watts},
      {"device_energy", "J", &DeviceState::energy_joules},
      {"device_sm_clock", "Hz", &DeviceState::sm_clock_hz},
      {"device_sm_clock_max", "Hz", &DeviceState::sm_clock_max_hz},
      {"device_sm_active", "ratio", &DeviceState::sm_active},
      {"device_temperature", "C", &DeviceState::temperature_celsius},
      {"device_memory_used", "bytes", &DeviceState::memory_used_bytes},
      {"device_memory_total", "bytes", &DeviceState::memory_total_bytes},
      {"device_tensor_active", "ratio", &DeviceState::tensor_active},
      {"device_dram_active", "ratio", &DeviceState::dram_active},
  }};
  return kNumbers;
}

std::span<const std::string_view> SlowdownDefects() {
  static constexpr std::array<std::string_view, 5> kDefects = {
      "hardware_thermal", "software_thermal", "power_brake", "hardware_slowdown",
      "software_power_cap"};
  return kDefects;
}

bool IsDefect(std::string_view slowdown) {
  return std::ranges::find(SlowdownDefects(), slowdown) != SlowdownDefects().end();
}

}  // namespace rankscope::agent
