#include "fleet/changes/effect.h"

#include <cmath>
#include <limits>
#include <vector>

#include "statistics/statistics.h"

namespace rankscope::fleet {
namespace {

// The median deviation of a normal distribution is this part of its standard deviation.
constexpr double kNormalMad = 1.4826;

struct Moments {
  double n = 0, sum = 0;
  double Mean() const { return sum / n; }
};

Moments MomentsOf(std::span<const double> values) {
  Moments moments;
  for (const double value : values) {
    moments.n += 1;
    moments.sum += value;
  }
  return moments;
}

double SquaresAround(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

double RobustSigma(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> distances(values.begin(), values.end());
  const double median = Median(distances);
  for (double& value : distances) value = std::abs(value - median);
  return kNormalMad * Median(std::move(distances));
}

double LogBayesFactor(std::span<const double> before, std::span<const double> after) {
  if (before.empty() || after.empty()) return 0;
  const Moments a = MomentsOf(before), b = MomentsOf(after);
  const double n = a.n + b.n;
  const double mean = (a.sum + b.sum) / n;
  const double one = SquaresAround(before, mean) + SquaresAround(after, mean);
  const double two = SquaresAround(before, a.Mean()) + SquaresAround(after, b.Mean());
  if (one == 0) return -std::log(n) / 2;
  if (two == 0) return std::numeric_limits<double>::infinity();
  return (n * std::log(one / two) - std::log(n)) / 2;
}

}  // namespace rankscope::fleet
