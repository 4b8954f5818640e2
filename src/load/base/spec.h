// The request for a load run. Durations and moments are int64 ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/client.h"
#include "serving/load/level.h"

namespace rankscope::load {

// The arrival process of an open level.
enum class Arrivals : std::uint8_t {
  kConstant,
  kPoisson,
  kGamma,  // gaps with a chosen coefficient of variation; above 1: bursts
};

// The length of prompts and answers: constant, or log-normal around a mean.
struct Lengths {
  std::int32_t mean = 0;  // tokens; 0: the endpoint decides
  double variation = 0;   // coefficient of variation; 0: constant
};

struct LevelSpec {
  serving::LoadKind kind = serving::LoadKind::kOpen;
  double per_s = 1;                           // for an open level
  std::optional<double> end_per_s;            // the rate changes linearly to this
  std::int32_t users = 1;                     // for a closed level
  std::int64_t sending = 30'000'000'000;      // for a replay 0: until the trace's end
  std::optional<std::int64_t> most_requests;  // ends the level early
};

enum class Endpoint : std::uint8_t {
  kCompletions,  // OpenAI's /v1/completions
  kChat,         // /v1/chat/completions
  kPlain,        // any request; its answer is the body
};

struct Target {
  http::Address address;
  Endpoint endpoint = Endpoint::kCompletions;
  std::string path;            // "": the endpoint's default
  std::string method = "GET";  // for kPlain
  std::string body;            // for kPlain
  std::string model;           // "": the first one in /v1/models
  std::string extra;           // members for the body: {"temperature": 0}; "": none
  bool is_streamed = true;     // answers come as a stream
  bool forces_length = true;   // ignore_eos, so that answers have the requested length
  http::ClientOptions client;
};

// Conversations: a request's prompt is the previous conversation plus new text.
struct Sessions {
  std::int32_t turns = 1;  // 1: no conversations
  std::int64_t think = 0;  // from the end of an answer to the next turn
};

struct LoadSpec {
  Target target;
  std::vector<LevelSpec> levels;  // one after the other; empty: rates are searched (run/search.h)
  std::int64_t search_sending = 30'000'000'000;  // for each level of the search
  std::string replay;                            // a recorded trace of requests; then no levels
  double replay_speed = 1;
  Arrivals arrivals = Arrivals::kPoisson;
  double variation = 2;  // for gamma arrivals
  Lengths prompt{.mean = 512, .variation = 0};
  Lengths output{.mean = 128, .variation = 0};
  std::int32_t shared_prefix = 0;  // common first tokens of all prompts
  Sessions sessions;
  serving::Objective objective;
  std::uint64_t seed = 1;
  std::size_t most_connections = 4096;
  std::int64_t request_time = 600'000'000'000;  // timeout of a request
  std::int64_t drain = 60'000'000'000;          // after sending; later answers count as not ended
  std::string folder;                           // output folder; must exist
  bool scrapes = true;                          // /metrics, once per second
};

}  // namespace rankscope::load
