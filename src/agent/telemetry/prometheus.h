// Readings as Prometheus reads them (text format 0.0.4).
#pragma once

#include <string>

#include "agent/telemetry/snapshot.h"

namespace rankscope::agent {

// One block for each metric, with its help and type. Of two readings with the same labels, which
// would void the whole, the first. O(readings log readings).
std::string PrometheusText(const Snapshots& snapshots);

}  // namespace rankscope::agent
