// The reasons why the slowest requests are slow.
//
// The tail is the slowest hundredth of the requests, and at least 30 of them if these are not more
// than a tenth; below 300 requests there is no result. The body of a request are those of its own
// length (prompt and output tokens by powers of two; if fewer than 5 are left, by output only, then
// all) between the 40th and the 60th percentile of their time. For a service that generates no
// tokens, the method takes the place of the length.
//
//   share of a stage = mean over the tail of (its stage - mean stage of its body) / excess
//   share of length  = mean over the tail of (mean time of its body - mean time of all's body) /
//   excess excess           = mean time of the tail - mean time of all's body
//
// The shares sum to 1, since stages sum to the time of a request.
#pragma once

#include <array>

#include "serving/requests/stages.h"

namespace rankscope::serving {

inline constexpr std::size_t kLeastTail = 30;
inline constexpr std::size_t kLeastForTail = 300;

struct Tail {
  std::int64_t requests = 0;
  double quantile = 0;              // above which the tail begins: 0.99 to 0.9
  double tail_ns = 0, body_ns = 0;  // means
  double length_ns = 0;             // what length, or the method, explains
  bool is_by_method = false;
  std::array<std::optional<double>, kStageCount> stage_ns;  // excess of each

  double excess_ns() const { return tail_ns - body_ns; }
};

// nullopt: too few requests, or the tail is no slower than the body. O(n log n).
std::optional<Tail> TailOf(const std::vector<Request>& requests, const Population& population);

}  // namespace rankscope::serving
