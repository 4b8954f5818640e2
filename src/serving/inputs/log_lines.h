// One line of a log: an iteration of an engine, its load, or a request of an access log.
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

// SGLang: "[2026-11-27 02:43:00 DP1 TP0] Decode batch. #running-req: 16, #token: 4000, token usage:
// 0.35, gen throughput (token/s): 812.33, #queue-req: 9", and "Prefill batch. #new-seq: 2,
// #new-token: 4096, #cached-token: 512, token usage: 0.36, #running-req: 16, #queue-req: 9", whose
// new sequences run besides. The replica is "engine 1" of DP1.
std::optional<Load> ParseSglangLoad(std::string_view line);
bool IsSglangPrefill(std::string_view line);

// TensorRT-LLM: "iter = 7, global_rank = 0, .., host_step_time = 20.1ms, .., timestamp = 2026-11-27
// 02:43:00, num_scheduled_requests: 33, states = {'num_ctx_requests': 1, 'num_ctx_tokens': 512,
// 'num_generation_tokens': 32}". Ranks but the first write copies: nullopt.
std::optional<Iteration> ParseTrtLlmIteration(std::string_view line);

// A request in a line of nginx (combined, with request_time=0.1 and upstream_response_time=0.1, rt=
// and urt=, or both numbers at the end; or JSON with these members), Envoy's default format, or
// uvicorn, which has no duration. nullopt if it is none of these.
std::optional<Request> ParseAccess(std::string_view line);

// The text before the message: "INFO 11-27 02:43:00 [core.py:1]", an ISO date, or nothing. A date
// without a year is in the year of `about`, or in the year before if it would otherwise be a day
// after `about`.
Ns TimeOfLine(std::string_view line, Ns about);

}  // namespace rankscope::serving
