// The results of a load generator's level.
//
// The window lies between the end of the warm-up (MSER-5 over tokens, else over answers) and the
// end of sending. Requests scheduled to be sent in it count, to their end, however late. Their time
// counts from the scheduled moment, so a server that stalls cannot hide it by delaying the sending
// of others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serving/base/data.h"
#include "serving/load/outputs.h"

namespace rankscope::serving {

enum class LevelState : std::uint8_t {
  kSteady,
  kFailing,   // over 5% of the requests failed
  kOverload,  // more requests come than go: latencies follow the length of the run
  kUnsteady,  // output never becomes steady
  kTooShort,  // below kLeastOfLevel answers in the window, or below five times a request's time
};
std::string_view ToString(LevelState state);
// More than the server can sustain.
inline bool IsBeyond(LevelState state) {
  return state == LevelState::kFailing || state == LevelState::kOverload;
}
inline constexpr std::size_t kLeastOfLevel = 20;

// An objective is met at a level if this share of its requests meets it.
inline constexpr double kGoodPct = 95;

struct Spread {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;  // ns
};

struct LevelResult {
  LoadLevel level;
  LevelState state = LevelState::kTooShort;
  std::int64_t requests = 0;  // of the window
  std::int64_t failed = 0, unfinished = 0;
  Ns warm_up;  // nullopt: not told apart
  std::int64_t window = 0;
  std::optional<double> offered_per_s, served_per_s, output_tokens_per_s;
  std::optional<double> inside;  // mean of requests under way
  std::optional<Spread> ttft, tpot, e2e;
  std::optional<Spread> e2e_from_send;
  // Of the window's requests, including those that failed or did not end.
  std::optional<double> good_pct, good_per_s;
  std::optional<double> good_error_pct;  // half of a 95% interval, by means of 20 batches
  Ns lag_p99;                            // of the generator
  Ns silence;                            // the longest time without any output, requests inside
  Ns silence_at;                         // since the begin of the level
  bool is_stall = false;                 // it stands out: 0.5 s, and ten times what is usual
  std::string invalid;                   // why nothing can be said by it; "" where it can
};

// nullopt: the value of one of the limits is unknown. Requests that failed or did not end meet
// none.
std::optional<bool> KeepsObjective(const Request& request, const Objective& objective);

// `requests` of the level, in any order. O(n log n) in requests and outputs.
LevelResult ResultOf(const LoadLevel& level, RequestList requests, const Objective& objective);

}  // namespace rankscope::serving
