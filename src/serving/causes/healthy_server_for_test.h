// A healthy server for tests of causes, and what they plant in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units_for_test.h"
#include "serving/base/moment_for_test.h"
#include "serving/causes/cause.h"

namespace rankscope::serving {

inline std::vector<std::string> IdsCauses(const Causes& causes) {
  std::vector<std::string> ids;
  for (const Finding& finding : causes.findings) ids.push_back(finding.id);
  return ids;
}

// A request every 100 ms, each of 1 s: queue 0, prefill 20 ms, decode 970 ms, frontend 10 ms.
inline ServingData Healthy(int count = 200) {
  ServingData data;
  data.sources.push_back({.path = "spans", .format = "OTLP spans"});
  for (int i = 0; i < count; ++i) {
    data.requests.push_back({.arrival = kBegin + i * 100 * kMs,
                             .e2e = kS,
                             .queue = 0,
                             .prefill = 20 * kMs,
                             .decode = 970 * kMs,
                             .prompt_tokens = 100,
                             .output_tokens = 98});
  }
  return data;
}

inline void AddLoads(ServingData& data, double running, double waiting, std::optional<double> kv,
                     const std::string& replica = "", int count = 20) {
  data.sources.push_back({.path = replica + ".log", .format = "loads"});
  for (int i = 0; i < count; ++i)
    data.loads.push_back({.source = static_cast<std::uint32_t>(data.sources.size() - 1),
                          .time = kBegin + i * kS,
                          .running = running,
                          .waiting = waiting,
                          .kv_usage = kv});
}

inline void Queue(ServingData& data, std::int64_t ns) {
  for (Request& request : data.requests) {
    request.queue = ns;
    request.e2e = *request.e2e + ns;
  }
}

}  // namespace rankscope::serving
