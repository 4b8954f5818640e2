// Metrics as text: "accel0 temperature 41.5 celsius".
#pragma once

#include <string>

#include "probe/run/module.h"

namespace rankscope::probe {

// "41.5", "true", "RUN" for an enum, a text in quotes if it contains spaces, "absent".
std::string MetricText(const DeviceSpec& device, const Export& metric, const Value& value);
// The unit that follows the value; "none" if it has none.
std::string UnitOf(const Export& metric);

// INSTANCE METRIC VALUE UNIT, a line for every instance and metric.
std::string MetricLines(const Module& module);

}  // namespace rankscope::probe
