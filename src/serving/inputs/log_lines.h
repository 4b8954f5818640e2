// One line of a log: an iteration of vLLM's engine, its load, or a request of an access log.
#pragma once

#include "serving/base/data.h"

namespace rankscope::serving {

// "Iteration(17): 2 context requests, 14721 context tokens, 62 generation requests, 62 generation
// tokens, iteration elapsed time: 212.40 ms", wherever it begins. " (dummy)" may follow.
std::optional<Iteration> ParseIteration(std::string_view line);

// "Engine 000: Avg prompt throughput: 10.5 tokens/s, Avg generation throughput: 62.0 tokens/s,
// Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.5%, Prefix cache hit rate: 12.0%". The
// replica is "engine 000".
std::optional<Load> ParseLoad(std::string_view line);

// A request in a line of nginx (combined, with request_time=0.1 and upstream_response_time=0.1, rt=
// and urt=, or both numbers at the end; or JSON with these members), Envoy's default format, or
// uvicorn, which has no duration. nullopt if it is none of these.
std::optional<Request> ParseAccess(std::string_view line);

// The text before the message: "INFO 11-27 02:43:00 [core.py:1]", an ISO date, or nothing. A date
// without a year is in the year of `about`, or in the year before if it would otherwise be a day
// after `about`.
Ns TimeOfLine(std::string_view line, Ns about);

}  // namespace rankscope::serving
