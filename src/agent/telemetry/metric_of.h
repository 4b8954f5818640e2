// Quantities as /metrics and sinks call them.
#pragma once

#include "agent/telemetry/sample.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {

// Of a quantity of src/quantity's lists; it stays until the program ends. Any thread may ask.
// O(log quantities).
const Metric& MetricOf(const quantity::Quantity& quantity);

}  // namespace rankscope::agent
