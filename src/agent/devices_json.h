// Devices as JSON, with whose they are.
#pragma once

#include <string>
#include <vector>

#include "agent/captures.h"
#include "device/device.h"

namespace rankscope::agent {

// {"devices":[{"index","name","uuid","verdict","reasons",...,"processes":[{"pid","memory_bytes",
// "rank","job"}]}]}; unknown is null. Rank and job are those of training processes that are known.
std::string DevicesJson(const std::vector<device::DeviceState>& devices,
                        const std::vector<Process>& processes);

}  // namespace rankscope::agent
