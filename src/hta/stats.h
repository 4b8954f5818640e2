// Numbers as pandas computes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::hta {

// Rounds to `digits` decimals, halves to even, after scaling, as numpy does; never -0.
double Round(double value, int digits);

// The quantile `q` in [0, 1] of ascending values by linear interpolation. `sorted` is not empty.
double QuantileOf(std::span<const double> sorted, double q);

// DataFrame.describe(): nullopt for what is undefined with so few values.
struct Description {
  std::int64_t count = 0;
  std::optional<double> mean, std, min, q25, q50, q75, max;
};
Description Describe(std::vector<double> values);

// Mean and spread of a stream of values, without storing them.
class RunningSpread {
 public:
  void Add(double value);
  // Standard deviation with n - 1 in the denominator; 0 for one value, as in HTA.
  double std() const;

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
};

// Rounds all of its numbers.
Description Rounded(const Description& description, int digits);

}  // namespace rankscope::hta
