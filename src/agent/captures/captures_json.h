// Processes and captures as RPC and HTTP tell of them.
#pragma once

#include <vector>

#include "agent/captures/captures.h"
#include "api/agent_capture.h"
#include "api/host.h"

namespace rankscope::agent {

api::ProcessPlace Reported(const Placed& placed);
// Ages are in milliseconds before `now`.
api::ReportedProcesses Reported(const std::vector<Process>& processes, Now now);
api::AgentCapture Reported(const Capture& capture);
api::AgentCaptureList Reported(const std::vector<Capture>& captures);

}  // namespace rankscope::agent
