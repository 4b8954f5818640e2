#include "agent/device_numbers.h"

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

}  // namespace rankscope::agent
