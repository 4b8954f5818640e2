// The names of quantities in /metrics and sinks.
#pragma once

#include "agent/telemetry/sample.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {

// For a quantity of src/quantity's lists; valid until the program ends. Thread-safe. O(log
// quantities).
const Metric& MetricOf(const quantity::Quantity& quantity);

}  // namespace rankscope::agent
