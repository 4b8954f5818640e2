// Devices as they are reported, with the processes that use them.
#pragma once

#include <functional>
#include <vector>

#include "agent/captures/captures.h"
#include "api/host.h"
#include "device/device.h"

namespace rankscope::agent {

// Rank and job of a device's process are those of training processes that are known.
// `placed`: where a process runs.
api::ReportedDevices Reported(const std::vector<device::DeviceState>& devices,
                              const std::vector<Process>& processes,
                              const std::function<Placed(pid_t)>& placed);

}  // namespace rankscope::agent
