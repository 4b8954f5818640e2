// Devices as they are reported, with whose they are.
#pragma once

#include <vector>

#include "agent/captures/captures.h"
#include "api/host.h"
#include "device/device.h"

namespace rankscope::agent {

// Rank and job of a device's process are those of training processes that are known.
api::ReportedDevices Reported(const std::vector<device::DeviceState>& devices,
                              const std::vector<Process>& processes);

}  // namespace rankscope::agent
