// Query: the last values of metrics by name and labels, from memory, for clients that read them
// many times a second, such as load balancers.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "agent/telemetry/snapshot.h"
#include "base/status.h"

namespace rankscope::json {
class Writer;
}

namespace rankscope::agent {

// Members of an object: name, kind, labels and value.
void WriteReading(const Reading& reading, json::Writer& writer);

// {"metrics":[{"name","kind","labels":{},"value","age_ms"}]}: of all snapshots, or of one name
// (with or without "rankscope_") and of those that have all the labels. `age_ms`: since it was
// read. O(sources log readings + answer) by name, a few microseconds.
std::string MetricsJson(const Snapshots& snapshots, std::string_view name, const Labels& labels,
                        Now now);

// "device=0" or "device=\"0\"".
Result<std::pair<std::string, std::string>> ParseLabel(std::string_view text);

}  // namespace rankscope::agent
