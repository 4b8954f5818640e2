// The interval of each source, from the settings: telemetry.intervals.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "agent/telemetry/sample.h"
#include "base/status.h"

namespace rankscope::agent {

using Intervals = std::map<std::string, std::chrono::milliseconds, std::less<>>;

// From texts SOURCE=SECONDS; 0: not read. kInvalidArgument names the text, and the nearest source.
Result<Intervals> ParseIntervals(const std::vector<std::string>& texts);
// All that are wrong.
std::vector<Status> ProblemsOfIntervals(const std::vector<std::string>& texts);
// The sources with those intervals in place of their own, without those that are not read.
std::vector<Source> WithIntervals(std::vector<Source> sources, const Intervals& intervals);

}  // namespace rankscope::agent
