// Processes and captures as JSON: for RPC and HTTP alike.
#pragma once

#include <string>
#include <vector>

#include "agent/captures/captures.h"
#include "api/host.h"
#include "json/writer.h"

namespace rankscope::agent {

// Ages are in milliseconds before `now`.
// Members pod_uid, pod, container and container_name, those that are known.
void WritePlaced(const Placed& placed, json::Writer& writer);
api::ReportedProcesses Reported(const std::vector<Process>& processes, Now now);
void WriteCapture(const Capture& capture, json::Writer& writer);
// {"captures":[...]}
std::string CapturesJson(const std::vector<Capture>& captures);

}  // namespace rankscope::agent
