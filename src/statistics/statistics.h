// Order statistics of values in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "table/table.h"

namespace rankscope {

// The q-quantile (0 <= q <= 1) of sorted values, linearly interpolated between the two nearest
// (Hyndman and Fan's type 7, the default of numpy and pandas). `sorted` must not be empty.
double Quantile(std::span<const std::int64_t> sorted, double q);
double Quantile(std::span<const double> sorted, double q);

// The median of unsorted values; for an even number, the mean of the two middle ones. Must not be
// empty.
double Median(std::vector<double> values);

// 100 * part / whole; null if the whole is 0.
Value Percent(std::int64_t part, std::int64_t whole);

// Count, sum and order statistics of integers; sorts `values`. Without values, everything except
// count and total is null.
struct Description {
  std::int64_t count = 0;
  std::int64_t total = 0;
  Value min = kNull, max = kNull;                             // int64
  Value mean = kNull, p50 = kNull, p90 = kNull, p99 = kNull;  // double
};
Description Describe(std::vector<std::int64_t>& values);

// The distance of each value from the median of all, in robust standard deviations: 0.6745 * (value
// - median) / MAD, where MAD is the median of |value - median| (Iglewicz and Hoaglin 1993). If the
// MAD is 0, (value - median) / (1.2533 * mean of the distances). nullopt if there are fewer than 3
// values or all are equal.
std::vector<std::optional<double>> RobustDeviations(std::span<const double> values);
// A value at least this many robust deviations from the median is an outlier.
inline constexpr double kOutlierDeviation = 3.5;

}  // namespace rankscope
