// Samples: numbers over time that go with a job: what hosts and devices did (rankscope-agent tells
// it), what the job says of itself (loss, learning rate). One form everywhere, of files beside
// traces (NAME.telemetry.json) and of the server's requests:
//
//   [{"time":"1712345678901234567","rank":3,"host":"node1","name":"device_power","value":412.5,
//     "unit":"W"}]
//
// `time`: nanoseconds since 1970, UTC, by the host's own clock, as text or number, or ISO 8601 with
// Z. A number of a host alone has no rank. docs/telemetry.md lists the names that analyses know.
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

// A list, or objects in lines of their own. kInvalidArgument names the first that is wrong.
Result<std::vector<MetricSample>> ParseSamples(std::string_view json);
void AppendSample(std::string& out, const MetricSample& sample);

// For a picture: of every series (name, rank, host) at most `points` samples, 2 or more: of equal
// stretches of the series the least and the greatest, so that no extreme is lost. `samples` are by
// time, and so is what is left.
std::vector<MetricSample> Thinned(std::vector<MetricSample> samples, std::size_t points);

}  // namespace rankscope
