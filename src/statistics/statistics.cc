#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/median.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

template <typename T>
double QuantileOf(std::span<const T> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto low = static_cast<double>(sorted[below]);
  if (below + 1 == sorted.size()) return low;
  const double fraction = place - static_cast<double>(below);
  return low + fraction * (static_cast<double>(sorted[below + 1]) - low);
}

}  // namespace

double Quantile(std::span<const std::int64_t> sorted, double q) { return QuantileOf(sorted, q); }
double Quantile(std::span<const double> sorted, double q) { return QuantileOf(sorted, q); }

double Median(std::vector<double> values) { return MedianOf(values); }

Value Percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return kNull;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Description Describe(std::vector<std::int64_t>& values) {
  Description result;
  result.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  result.total = std::accumulate(values.begin(), values.end(), std::int64_t{0}, SaturatingAdd);
  result.min = values.front();
  result.max = values.back();
  result.mean = static_cast<double>(result.total) / static_cast<double>(result.count);
  result.p50 = Quantile(values, 0.5);
  result.p90 = Quantile(values, 0.9);
  result.p99 = Quantile(values, 0.99);
  return result;
}

std::vector<std::optional<double>> RobustDeviations(std::span<const double> values) {
  std::vector<std::optional<double>> deviations(values.size());
  if (values.size() < 3) return deviations;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = Quantile(std::span<const double>(sorted), 0.5);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - median));
  std::sort(distances.begin(), distances.end());
  const double mad = Quantile(std::span<const double>(distances), 0.5);
  const double mean_distance = std::accumulate(distances.begin(), distances.end(), 0.0) /
                               static_cast<double>(distances.size());
  const double unit = mad > 0 ? mad / 0.6745 : 1.2533 * mean_distance;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (unit > 0) deviations[i] = (values[i] - median) / unit;
  }
  return deviations;
}

}  // namespace rankscope
