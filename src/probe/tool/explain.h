// Explains a specification: its rounds, and where the value of a metric comes from.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "probe/run/host.h"

namespace rankscope::probe {

// The sources in the order of their periods: what is read, how often, for which metrics.
std::string ScheduleText(const Spec& spec);

// The expression of a metric as a tree, one line per part: its text, type, unit and value; for a
// source also its schedule, age and the time of a reading. For every device with the metric, on its
// first instance; without instances there are no values. kNotFound: no device has the metric.
Result<std::string> MetricTree(const Spec& spec, const Host& host, std::string_view metric,
                               std::int64_t now_ns);

// Whether the metric has a change over time (delta, rate) that has not seen two readings yet.
bool WantsAnotherRound(const Spec& spec, const Host& host, std::string_view metric);

}  // namespace rankscope::probe
