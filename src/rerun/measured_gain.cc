#include "rerun/measured_gain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "statistics/statistics.h"
#include "statistics/welch.h"

namespace rankscope::rerun {
namespace {

constexpr int kSamples = 10'000;
constexpr std::size_t kLeastRuns = 3;
// Of a promise, at least: so much of it has to be possible.
constexpr double kKeptShare = 2.0 / 3.0;

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double MeanOfSample(std::span<const double> values, std::mt19937_64& random) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[random() % values.size()];
  return sum / static_cast<double>(values.size());
}

// How much of the samples lies outside of the range on each side, with n runs.
double ShareOutside(std::size_t n) {
  const auto degrees = static_cast<double>(n - 1);
  double low = 0, high = 1000;  // t(0.975, degrees) lies between, from two degrees on below 4.31
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (StudentTwoSided(middle, degrees) > 0.05 ? low : high) = middle;
  }
  const double z = std::sqrt(static_cast<double>(n) / degrees) * high;
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

double GainPct(double before, double after) { return 100 * (1 - after / before); }

}  // namespace

MeasuredGain GainOf(std::span<const double> before, std::span<const double> after) {
  MeasuredGain gain{.pct = GainPct(MeanOf(before), MeanOf(after)),
                    .low_pct = std::nullopt,
                    .high_pct = std::nullopt};
  const std::size_t runs = std::min(before.size(), after.size());
  if (runs < kLeastRuns) return gain;
  std::mt19937_64 random(1);
  std::vector<double> gains(kSamples);
  for (double& sample : gains) {
    const double mean_before = MeanOfSample(before, random);
    sample = GainPct(mean_before, MeanOfSample(after, random));
  }
  std::sort(gains.begin(), gains.end());
  const double outside = ShareOutside(runs);
  gain.low_pct = Quantile(gains, outside);
  gain.high_pct = Quantile(gains, 1 - outside);
  return gain;
}

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConfirmed:
      return "confirmed";
    case Verdict::kLess:
      return "less";
    case Verdict::kNoGain:
      return "no gain";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

Verdict VerdictOf(const MeasuredGain& gain, const Promise& promise) {
  if (!gain.low_pct || !gain.high_pct) return Verdict::kUnknown;
  if (*gain.high_pct < 0) return Verdict::kSlower;
  if (*gain.low_pct <= 0) return Verdict::kNoGain;
  const bool is_less =
      promise.pct && !promise.is_bound && *gain.high_pct < kKeptShare * *promise.pct;
  return is_less ? Verdict::kLess : Verdict::kConfirmed;
}

}  // namespace rankscope::rerun
