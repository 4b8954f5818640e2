#include "hta/stats.h"

#include <algorithm>
#include <cmath>

namespace rankscope::hta {

double Round(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::nearbyint(value * scale) / scale + 0.0;
}

double QuantileOf(std::span<const double> sorted, double q) {
  // pandas hands percents to numpy, which divides them again: 0.55 becomes 0.55000000000000004.
  const double place = static_cast<double>(sorted.size() - 1) * (q * 100 / 100);
  const double floor = std::floor(place);
  const auto below = std::min(static_cast<std::size_t>(floor), sorted.size() - 1);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double part = place - floor;
  const double gap = sorted[above] - sorted[below];
  return part >= 0.5 ? sorted[above] - gap * (1 - part) : sorted[below] + gap * part;
}

Description Describe(std::vector<double> values) {
  Description result;
  result.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  result.mean = mean;
  if (values.size() > 1) result.std = std::sqrt(squares / (count - 1));
  std::sort(values.begin(), values.end());
  result.min = values.front();
  result.q25 = QuantileOf(values, 0.25);
  result.q50 = QuantileOf(values, 0.5);
  result.q75 = QuantileOf(values, 0.75);
  result.max = values.back();
  return result;
}

void RunningSpread::Add(double value) {
  count_ += 1;
  const double distance = value - mean_;
  mean_ += distance / count_;
  squares_ += distance * (value - mean_);
}

double RunningSpread::std() const { return count_ > 1 ? std::sqrt(squares_ / (count_ - 1)) : 0; }

Description Rounded(const Description& description, int digits) {
  Description rounded = description;
  for (auto* number : {&rounded.mean, &rounded.std, &rounded.min, &rounded.q25, &rounded.q50,
                       &rounded.q75, &rounded.max}) {
    if (*number) *number = Round(**number, digits);
  }
  return rounded;
}

}  // namespace rankscope::hta
