// How a specification is understood: its rounds, and where the value of a metric comes from.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "probe/run/host.h"

namespace rankscope::probe {

// The sources in the order of their periods: what is read, how often, and for which metrics.
std::string ScheduleText(const Spec& spec);

// The expression of a metric as a tree, a line for every part: its text, type, unit and value, and
// of a source its schedule, age and what a reading takes. Of every device that has the metric, on
// its first instance; without instances there are no values. kNotFound: no device has it.
Result<std::string> MetricTree(const Spec& spec, const Host& host, std::string_view metric,
                               std::int64_t now_ns);

}  // namespace rankscope::probe
