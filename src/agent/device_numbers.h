// The numbers of a device as the server and the analysis know them (docs/agent.md, Sinks).
#pragma once

#include <span>
#include <string_view>

#include "device/device.h"

namespace rankscope::agent {

struct DeviceNumber {
  std::string_view name;
  std::string_view unit;
  device::Known device::DeviceState::*place;
};
std::span<const DeviceNumber> DeviceNumbers();

// Why clocks are held down, where it is a defect of cooling, power or the device, and no setting.
std::span<const std::string_view> SlowdownDefects();
bool IsDefect(std::string_view slowdown);

}  // namespace rankscope::agent
