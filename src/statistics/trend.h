// Does a series of values rise or fall? Robust: no outlier decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope {

struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Theil-Sen: the median of the slopes (y_j - y_i) / (x_j - x_i) of all pairs with different x
// (Theil 1950, Sen 1968); nullopt when there are none. O(n^2) in time and memory.
std::optional<double> TheilSenSlope(std::span<const Point> points);

// Mann-Kendall: the probability that values in random order show a trend at least as clear, in
// either direction. S is the number of rises less that of falls over all pairs (Mann 1945, Kendall
// 1975). Up to 20 values the distribution of S is counted exactly, equal values included; beyond,
// it is taken as normal with the variance corrected for equal values and S for continuity. nullopt
// for fewer than 4 values, which no order makes significant. O(n^2).
std::optional<double> TrendProbability(std::span<const std::int64_t> values);

}  // namespace rankscope
