// Readings in Prometheus's text format (0.0.4).
#pragma once

#include <string>

#include "agent/telemetry/snapshot.h"

namespace rankscope::agent {

// One block for each metric, with its help and type. Of two readings with the same labels only the
// first, since duplicates would invalidate the page. O(readings log readings).
std::string PrometheusText(const Snapshots& snapshots);

}  // namespace rankscope::agent
