// A user's objective: --slo ttft=500ms,tpot=50ms,e2e=10s.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/causes/analysis.h"
#include "serving/load/level.h"

namespace rankscope::serving {

// A number with ns, us, ms or s; without a unit it is in milliseconds. kInvalidArgument otherwise.
Result<Objective> ParseObjective(std::string_view text);

// One way of recording requests, such as "AIPerf" on the client. Several recorders may have
// recorded the same requests without a common id, so only the requests of one recorder are counted.
struct Recorder {
  std::string format;
  Side side = Side::kServer;
  std::vector<std::size_t> requests;  // indices of Analysis::requests
};
std::vector<Recorder> RecordersOf(const Analysis& analysis);

struct GoodputRow {
  std::string_view objective;  // "ttft", "tpot", "e2e", "all"
  Ns limit;
  // Requests with a value for it, and those that failed; for "all", those with values for every
  // limit. 0: no finished request has one, and it is unknown.
  std::int64_t known = 0, good = 0;
  std::optional<double> per_s;
};

// Judged by the recorder that knows the most of the limits (the client before a proxy before the
// server), and by the outermost times of each request. Rates are over the time from the first
// arrival to the last end by one clock.
std::vector<GoodputRow> GoodputOf(const Analysis& analysis, const Objective& objective);

// "100 of 200 requests failed (503: 100)", by the recorder with the most failures; "" below 1%.
std::string FailureWords(const Analysis& analysis);

}  // namespace rankscope::serving
