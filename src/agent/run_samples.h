// Samples of the device and the host of a training process around its capture, in the form of a
// server's run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/host_history.h"
#include "agent/telemetry/device_source.h"

namespace rankscope::agent {

// [{"time","name","value","unit","rank","host"}, ...], as POST /api/v1/runs/ID/metrics takes it;
// empty if there are none. They are of the device that the process uses according to the driver,
// else of the device with its local rank. Unknown values are left out. `of_host` is of the rank's
// host, and repeated for each of its ranks, or of the process. Each reason for reduced clocks has a
// number device_slowed_REASON, 0 or 1: always for reasons that are a defect, for others if it was
// active within the history.
std::string RunSamplesJson(const std::vector<DevicesThen>& history,
                           const std::vector<HostSample>& of_host, const CaptureMember& member,
                           const std::vector<Process>& processes, std::string_view host);

}  // namespace rankscope::agent
