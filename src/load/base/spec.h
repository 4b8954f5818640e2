// What is asked of a load generator. Durations and moments are int64 ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/client.h"
#include "serving/load/level.h"

namespace rankscope::load {

// When requests of an open level come.
enum class Arrivals : std::uint8_t {
  kConstant,
  kPoisson,
  kGamma,  // gaps with a coefficient of variation of one's choice; above 1: in bursts
};

// How long prompts and answers are: all alike, or log-normal around a mean.
struct Lengths {
  std::int32_t mean = 0;  // tokens; 0: of the endpoint's own
  double variation = 0;   // coefficient of variation; 0: all alike
};

struct LevelSpec {
  serving::LoadKind kind = serving::LoadKind::kOpen;
  double per_s = 1;                           // of an open one
  std::optional<double> end_per_s;            // the rate rises (or falls) evenly to that
  std::int32_t users = 1;                     // of a closed one
  std::int64_t sending = 30'000'000'000;      // of a replay 0: to the trace's end
  std::optional<std::int64_t> most_requests;  // ends it before its time
};

enum class Endpoint : std::uint8_t {
  kCompletions,  // OpenAI's /v1/completions
  kChat,         // /v1/chat/completions
  kPlain,        // any request, whose answer is its body
};

struct Target {
  http::Address address;
  Endpoint endpoint = Endpoint::kCompletions;
  std::string path;            // "" the endpoint's own
  std::string method = "GET";  // of a plain one
  std::string body;            // of a plain one
  std::string model;           // "" the first that /v1/models names
  std::string extra;           // members for the body: {"temperature": 0}; "" none
  bool is_streamed = true;     // answers come by and by
  bool forces_length = true;   // ignore_eos, so that answers are as long as they are meant to be
  http::ClientOptions client;
};

// Conversations: a request's prompt is what was said before and some more.
struct Sessions {
  std::int32_t turns = 1;  // 1: no sessions
  std::int64_t think = 0;  // from the end of an answer to the next turn
};

struct LoadSpec {
  Target target;
  std::vector<LevelSpec> levels;  // one after the other; empty: rates are searched (run/sweep.h)
  std::int64_t search_sending = 30'000'000'000;  // of each level of the search
  std::string replay;                            // a recorded trace of requests; then no levels
  double replay_speed = 1;
  Arrivals arrivals = Arrivals::kPoisson;
  double variation = 2;  // of gamma arrivals
  Lengths prompt{.mean = 512, .variation = 0};
  Lengths output{.mean = 128, .variation = 0};
  std::int32_t shared_prefix = 0;  // tokens that all prompts begin with
  Sessions sessions;
  serving::Objective objective;
  std::uint64_t seed = 1;
  std::size_t most_connections = 4096;
  std::int64_t request_time = 600'000'000'000;  // then a request has failed
  std::int64_t drain = 60'000'000'000;  // after sending; what is not answered by then did not end
  std::string folder;                   // where it is written to; exists
  bool scrapes = true;                  // /metrics, each second
};

}  // namespace rankscope::load
