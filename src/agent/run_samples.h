// What the device and the host of a training process did around its capture, as a run of the server
// takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/host_history.h"
#include "agent/telemetry/device_source.h"

namespace rankscope::agent {

// [{"time","name","value","unit","rank","host"}, ...], as POST /api/v1/runs/ID/metrics takes it;
// empty when there is nothing to say. Of the device that the process uses by the driver's word,
// else of that with its local rank. What is unknown is left out. `of_host` is of the rank's host,
// and said by each of its ranks, or of the process. Of each reason for which clocks are held down
// there is a number device_slowed_REASON, 0 or 1: of those that are a defect always, of others once
// it was so within the history.
std::string RunSamplesJson(const std::vector<DevicesThen>& history,
                           const std::vector<HostSample>& of_host, const CaptureMember& member,
                           const std::vector<Process>& processes, std::string_view host);

}  // namespace rankscope::agent
