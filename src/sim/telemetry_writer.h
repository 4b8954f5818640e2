// hosts.telemetry.json: what rankscope-agent would have reported of the job's hosts and devices.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "sim/jobs/job_plan.h"

namespace rankscope::sim {

inline constexpr std::string_view kTelemetryName = "hosts.telemetry.json";

// Whether the options ask for it, or a planted cause shows only there.
bool HasTelemetry(const SimulateOptions& options);

// Samples every 5 s on each host's own clock, from one minute before the job's first step to its
// end: a device at full load, and how power-throttle and cpu-contention change it. Writes the whole
// file or nothing.
Status WriteTelemetry(const std::string& path, const JobPlan& plan, std::int64_t job_ns);

}  // namespace rankscope::sim
