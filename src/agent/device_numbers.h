// The numbers of a device that the server and the analysis know (docs/agent.md, Sinks).
#pragma once

#include <span>

#include "device/device.h"
#include "quantity/quantity.h"

namespace rankscope::agent {

struct DeviceNumber {
  const quantity::Quantity* quantity = nullptr;
  device::Known device::DeviceState::*place;
};
// Those that go with a trace.
std::span<const DeviceNumber> DeviceNumbers();

}  // namespace rankscope::agent
