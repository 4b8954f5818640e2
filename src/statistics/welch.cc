#include "statistics/welch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace rankscope {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method; for x below
// (a + 1) / (a + b + 2) it is there in a few dozen turns.
double BetaFraction(double a, double b, double x) {
  constexpr int kMostTurns = 300;
  constexpr double kClose = 1e-14;
  constexpr double kTiny = 1e-300;
  const auto away_from_0 = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_0(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMostTurns; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_0(1 + even * d);
    c = away_from_0(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_0(1 + odd * d);
    c = away_from_0(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kClose) break;
  }
  return fraction;
}

// The regularised incomplete beta function I_x(a, b).
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

struct Moments {
  double mean = 0;
  double variance = 0;  // of n - 1
};

Moments MomentsOf(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Moments moments{std::accumulate(values.begin(), values.end(), 0.0) / n, 0};
  if (values.size() < 2) return moments;
  for (const double value : values)
    moments.variance += (value - moments.mean) * (value - moments.mean) / (n - 1);
  return moments;
}

}  // namespace

double StudentTwoSided(double t, double degrees) {
  return IncompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

std::optional<double> WelchTest(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty() || (a.size() < 2 && b.size() < 2)) return std::nullopt;
  const Moments of_a = MomentsOf(a);
  const Moments of_b = MomentsOf(b);
  const double difference = of_a.mean - of_b.mean;
  if (difference == 0) return 1;
  const double n_a = static_cast<double>(a.size());
  const double n_b = static_cast<double>(b.size());
  const bool is_pooled = a.size() < 2 || b.size() < 2;
  const double one = a.size() < 2 ? of_b.variance : of_a.variance;
  const double other = b.size() < 2 ? of_a.variance : of_b.variance;
  const double error_a = one / n_a;
  const double error_b = other / n_b;
  const double error = error_a + error_b;
  if (!(error > 0)) return 0;
  const double degrees =
      is_pooled ? std::max(n_a, n_b) - 1
                : error * error / (error_a * error_a / (n_a - 1) + error_b * error_b / (n_b - 1));
  return StudentTwoSided(difference / std::sqrt(error), degrees);
}

std::vector<std::optional<double>> HolmAdjusted(std::span<const std::optional<double>> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *p[a] < *p[b]; });
  std::vector<std::optional<double>> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, *p[order[i]] * static_cast<double>(order.size() - i)));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace rankscope
