// Samples: numbers over time that belong to a job: the activity of hosts and devices (from
// rankscope-agent), and the job's own metrics (loss, learning rate). The same format is used in
// files beside traces (NAME.telemetry.json) and in the server's requests:
//
//   [{"time":"1712345678901234567","rank":3,"host":"node1","name":"device_power","value":412.5,
//     "unit":"W"}]
//
// `time`: nanoseconds since 1970, UTC, on the host's own clock, as text or number, or ISO 8601 with
// Z. A number of a host as a whole has no rank. docs/telemetry.md lists the names that analyses
// know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope {

struct MetricSample {
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> rank;
  std::string host;
  std::string name;
  double value = 0;
  std::string unit;
};

// A list, or one object per line. kInvalidArgument names the first invalid one.
Result<std::vector<MetricSample>> ParseSamples(std::string_view json);
void AppendSample(std::string& out, const MetricSample& sample);

// Reduces samples for a chart: for every series (name, rank, host) at most `points` samples, 2 or
// more: the minimum and maximum of equal stretches of the series, so that no extreme is lost.
// `samples` must be sorted by time; so is the result.
std::vector<MetricSample> Thinned(std::vector<MetricSample> samples, std::size_t points);

}  // namespace rankscope
