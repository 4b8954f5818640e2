// Latencies of requests over time, in bins of their arrival.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "serving/causes/analysis.h"

namespace rankscope::serving {

struct Quantiles {
  double p50 = 0, p90 = 0, p99 = 0;  // ns
};

struct TimeBin {
  std::int64_t begin = 0, end = 0;  // as Told::arrival counts
  bool has_wall_clock = true;
  std::int32_t level = -1;  // of load, that all requests are of
  std::int64_t requests = 0;
  std::int64_t failed = 0;  // or cancelled
  std::optional<Quantiles> ttft, tpot, e2e;
  std::optional<std::size_t> slowest;  // index of Analysis::requests
};

// The smallest bin of 1, 2 or 5 times a power of ten that divides `span` > 0 into fewer than
// `most`.
std::int64_t WidthOfBins(std::int64_t span, std::int64_t most);

// From the recorder that knows the most first tokens and ends, the outermost if several do. There
// is a row for each bin between the first and the last arrival, even without requests: at most one
// for four requests, from 10 to 100 and the last. No rows below two different arrivals. O(n log n).
std::vector<TimeBin> OverTime(const Analysis& analysis);

}  // namespace rankscope::serving
