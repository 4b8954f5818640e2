// Where the numbers of a device are that the server and the analysis know (docs/agent.md, Sinks).
#pragma once

#include <span>
#include <string_view>

#include "device/device.h"
#include "quantity/quantity.h"

namespace rankscope::agent {

struct DeviceNumber {
  const quantity::Quantity* quantity = nullptr;
  device::Known device::DeviceState::*place;
};
// Those that go with a trace.
std::span<const DeviceNumber> DeviceNumbers();

// Why clocks are held down, where it is a defect of cooling, power or the device, and no setting.
std::span<const std::string_view> SlowdownDefects();
bool IsDefect(std::string_view slowdown);

}  // namespace rankscope::agent
