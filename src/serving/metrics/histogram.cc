#include <algorithm>
#include <cmath>
#include <limits>

#include "serving/metrics/series.h"

namespace rankscope::serving {

void Histogram::Add(const Histogram& other) {
  const bool had_any = count > 0 || !buckets.empty();
  sum += other.sum;
  count += other.count;
  has_same_bounds = has_same_bounds && other.has_same_bounds;
  if (had_any) {
    const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(buckets, other.buckets, same_key)) has_same_bounds = false;
  }
  if (!has_same_bounds) {
    buckets.clear();
    return;
  }
  for (const auto& [bound, value] : other.buckets) buckets[bound] += value;
}

std::optional<double> Histogram::Mean() const {
  if (!(count > 0) || !std::isfinite(sum)) return std::nullopt;
  return sum / count;
}

std::optional<Histogram::Interval> Histogram::Quantile(double q) const {
  if (buckets.empty() || !has_same_bounds) return std::nullopt;
  const double all = buckets.rbegin()->second;
  if (!(all > 0)) return std::nullopt;
  double least = 0;
  for (const auto& [bound, value] : buckets) {
    if (value >= q * all) return Interval{least, bound};
    least = bound;
  }
  return Interval{least, std::numeric_limits<double>::infinity()};
}

}  // namespace rankscope::serving
