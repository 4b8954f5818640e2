// What the devices of a training process did around its capture, as a run of the server takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/captures.h"
#include "agent/telemetry/device_source.h"

namespace rankscope::agent {

// [{"time","name","value","unit","rank","host"}, ...], as POST /api/v1/runs/ID/metrics takes it;
// empty when there is nothing to say. Of the device that the process uses by the driver's word,
// else of that with its local rank. What is unknown is left out.
std::string RunSamplesJson(const std::vector<DevicesThen>& history, const CaptureMember& member,
                           const std::vector<Process>& processes, std::string_view host);

}  // namespace rankscope::agent
