#include "agent/device_numbers.h"

#include <algorithm>
#include <array>

namespace rankscope::agent {

namespace {

using device::DeviceState;
namespace q = quantity;

}  // namespace

std::span<const DeviceNumber> DeviceNumbers() {
  static constexpr std::array<DeviceNumber, 12> kNumbers = {{
      {&q::kDeviceBusy, &DeviceState::busy},
      {&q::kDevicePower, &DeviceState::power_watts},
      {&q::kDevicePowerLimit, &DeviceState::power_limit_watts},
      {&q::kDeviceEnergy, &DeviceState::energy_joules},
      {&q::kDeviceSmClock, &DeviceState::sm_clock_hz},
      {&q::kDeviceSmClockMax, &DeviceState::sm_clock_max_hz},
      {&q::kDeviceSmActive, &DeviceState::sm_active},
      {&q::kDeviceTemperature, &DeviceState::temperature_celsius},
      {&q::kDeviceMemoryUsed, &DeviceState::memory_used_bytes},
      {&q::kDeviceMemoryTotal, &DeviceState::memory_total_bytes},
      {&q::kDeviceTensorActive, &DeviceState::tensor_active},
      {&q::kDeviceDramActive, &DeviceState::dram_active},
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
