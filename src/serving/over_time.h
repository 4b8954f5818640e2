// Latencies of requests over time, in bins of the moments at which they came.
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

// The least of 1, 2, 5 times a power of ten of which `span` > 0 has fewer than `most`.
std::int64_t WidthOfBins(std::int64_t span, std::int64_t most);

// Of the recorder that knows the most first tokens and ends, of those the outermost; of a bin
// between the first arrival and the last each, those without requests too: one for four requests
// at most, from 10 to 100 and the last. None below two arrivals that differ. O(n log n).
std::vector<TimeBin> OverTime(const Analysis& analysis);

}  // namespace rankscope::serving
