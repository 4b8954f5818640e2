// The times at which a level's requests arrived, gave outputs and ended.
#pragma once

#include <span>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

// Requests that stay where they are.
using RequestList = std::span<const Request* const>;

// The longest time without output although requests were in progress.
struct Silence {
  std::int64_t ns = 0;
  std::int64_t at = 0;     // its begin, by the clock of arrivals
  std::int64_t usual = 0;  // 99 of 100 are at most that long
};
std::optional<Silence> LongestSilence(RequestList requests, std::int64_t begin, std::int64_t end);

// Tokens (or answers, if no request has tokens) in `bins` equal parts of [begin, end). The tokens
// of a request are spread evenly between its first and its last.
std::vector<double> OutputOverTime(RequestList requests, std::int64_t begin, std::int64_t end,
                                   std::size_t bins);

// The number of requests in progress at `count` moments spread evenly over [begin, end].
std::vector<std::int64_t> InsideOverTime(RequestList requests, std::int64_t begin, std::int64_t end,
                                         std::size_t count);

}  // namespace rankscope::serving
