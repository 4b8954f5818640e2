// Metrics as text: "accel0 temperature 41.5 celsius".
#pragma once

#include <string>

#include "probe/run/module.h"

namespace rankscope::probe {

// "41.5", "true", "RUN" of an enum, a text in quotes where it has spaces, "absent".
std::string MetricText(const DeviceSpec& device, const Export& metric, const Value& value);
// What stands behind it: the unit; "none" of what has none.
std::string UnitOf(const Export& metric);

// INSTANCE METRIC VALUE UNIT, a line for every instance and metric.
std::string MetricLines(const Module& module);

}  // namespace rankscope::probe
