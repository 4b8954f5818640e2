// Tests whether a series rises or falls, robustly against outliers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope {

struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Theil-Sen: the median of the slopes (y_j - y_i) / (x_j - x_i) over all pairs with different x
// (Theil 1950, Sen 1968); nullopt if there are none. O(n^2) in time and memory.
std::optional<double> TheilSenSlope(std::span<const Point> points);

// Mann-Kendall: the probability that values in random order show at least as clear a trend, in
// either direction. S is the number of rises minus the number of falls over all pairs (Mann 1945,
// Kendall 1975). Up to 20 values the distribution of S is counted exactly, including equal values.
// Beyond that a normal approximation is used, with the variance corrected for ties and S for
// continuity. nullopt for fewer than 4 values, which cannot be significant in any order. O(n^2).
std::optional<double> TrendProbability(std::span<const std::int64_t> values);

}  // namespace rankscope
