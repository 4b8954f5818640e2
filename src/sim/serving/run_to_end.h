// RunToEnd: a list of requests, served to its end by a virtual clock, at once.
//
// For the truth of a setting (a tuner's grid, a server's capacity). About 25 ns a request and step
// that it is in: 10 minutes of 5 requests a second take 40 ms. Memory: 150 bytes a request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

struct PlannedRequest {
  std::int64_t arrival_ns = 0;
  RequestSpec spec;
};

struct RunOutcome {
  std::vector<RequestRecord> requests;  // as planned; of those that never ended, is_aborted
  std::int64_t steps = 0;
  std::int64_t preemptions = 0;
  std::int64_t busy_ns = 0;             // within steps
  std::int64_t end_ns = 0;              // of the last step
  std::optional<std::int64_t> died_ns;  // out of memory
};

// By rising arrival. `see` is called at the begin of every step; may be empty. kInvalidArgument for
// settings with which no engine starts, requests out of order or longer than the model takes.
Result<RunOutcome> RunToEnd(const CostShape& shape, const EngineSettings& settings,
                            const EngineNoise& noise, const std::vector<PlannedRequest>& planned,
                            const std::function<void(const Step&)>& see = {});

// Requests per second that had their first token within `ttft_ns` and further ones every `tpot_ns`
// on average: of those planned, by the time from the first arrival to the last. 0 for an engine
// that died, and below two requests.
double GoodputPerS(const RunOutcome& outcome, std::int64_t ttft_ns, std::int64_t tpot_ns);

}  // namespace rankscope::sim
