#include "statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/statistics.h"

namespace rankscope {
namespace {

constexpr std::size_t kExactLimit = 20;  // 20! fits in 64 bits

// How often each of the values occurs that occur more than once.
std::vector<std::size_t> TiesOf(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> ties;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    if (end - i > 1) ties.push_back(end - i);
    i = end;
  }
  return ties;
}

std::int64_t RisesLessFalls(std::span<const std::int64_t> values) {
  std::int64_t s = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j)
      s += (values[j] > values[i]) - (values[j] < values[i]);
  }
  return s;
}

// The orders of n values by their number of falls, as the coefficients of the Gaussian multinomial
// [n]! / product of [t]! over the ties t, where [m]! is the product of (1 + q + ... + q^(k-1)) for
// k up to m (MacMahon). Multiplying and dividing by 1 + ... + q^(k-1) is a running sum and its
// inverse; all coefficients stay whole and below n!.
std::vector<std::uint64_t> OrdersByFalls(std::size_t n, std::span<const std::size_t> ties) {
  std::vector<std::uint64_t> orders(n * (n - 1) / 2 + 1, 0);
  orders[0] = 1;
  for (std::size_t k = 2; k <= n; ++k) {
    std::vector<std::uint64_t> next(orders.size(), 0);
    for (std::size_t i = 0; i < next.size(); ++i) {
      // next[i] = orders[i - k + 1] + ... + orders[i]
      next[i] = (i > 0 ? next[i - 1] : 0) + orders[i] - (i >= k ? orders[i - k] : 0);
    }
    orders = std::move(next);
  }
  for (const std::size_t tie : ties) {
    for (std::size_t k = 2; k <= tie; ++k) {
      std::vector<std::uint64_t> next(orders.size(), 0);
      for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = orders[i] - (i > 0 ? orders[i - 1] : 0) + (i >= k ? next[i - k] : 0);
      orders = std::move(next);
    }
  }
  return orders;
}

double Exact(std::size_t n, std::span<const std::size_t> ties, std::int64_t s) {
  auto pairs = static_cast<std::int64_t>(n * (n - 1) / 2);
  for (const std::size_t tie : ties) pairs -= static_cast<std::int64_t>(tie * (tie - 1) / 2);
  const std::vector<std::uint64_t> orders = OrdersByFalls(n, ties);
  double clear = 0;
  double all = 0;
  for (std::int64_t falls = 0; falls <= pairs; ++falls) {
    const auto count = static_cast<double>(orders[static_cast<std::size_t>(falls)]);
    all += count;
    if (std::abs(pairs - 2 * falls) >= std::abs(s)) clear += count;
  }
  return clear / all;
}

double Normal(std::size_t n, std::span<const std::size_t> ties, std::int64_t s) {
  const auto part = [](std::size_t count) {
    const auto m = static_cast<double>(count);
    return m * (m - 1) * (2 * m + 5);
  };
  double variance = part(n);
  for (const std::size_t tie : ties) variance -= part(tie);
  variance /= 18;
  if (variance <= 0 || s == 0) return 1;
  const double z = (std::abs(static_cast<double>(s)) - 1) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

}  // namespace

std::optional<double> TheilSenSlope(std::span<const Point> points) {
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() + 1) / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (points[i].x == points[j].x) continue;
      slopes.push_back((static_cast<double>(points[j].y) - static_cast<double>(points[i].y)) /
                       (static_cast<double>(points[j].x) - static_cast<double>(points[i].x)));
    }
  }
  if (slopes.empty()) return std::nullopt;
  std::sort(slopes.begin(), slopes.end());
  return Quantile(std::span<const double>(slopes), 0.5);
}

std::optional<double> TrendProbability(std::span<const std::int64_t> values) {
  if (values.size() < 4) return std::nullopt;
  const std::vector<std::size_t> ties = TiesOf(values);
  const std::int64_t s = RisesLessFalls(values);
  return values.size() <= kExactLimit ? Exact(values.size(), ties, s)
                                      : Normal(values.size(), ties, s);
}

}  // namespace rankscope
