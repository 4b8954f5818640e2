// GaussianProcess: predicts a noisy function of a few coordinates at points where it was not
// measured.
//
//   k(a, b) = s2 * (1 + r + r^2 / 3) * exp(-r),  r^2 = 5 * sum ((a_i - b_i) / l_i)^2
//
// Matern 5/2 with one length per coordinate (Rasmussen and Williams 2006, 4.17 and 5.1), a constant
// mean, normal noise, and an effect that all measurements of a group share (a schedule of requests
// that is hard for one setting is hard for the others). Lengths, s2 and noise maximise the marginal
// likelihood times weak lognormal priors (lengths around 0.5 of the cube, s2 around the variance of
// the values, noise and groups around `expected_noise`), by Rprop from two starts with exact
// gradients. The priors are needed: with ten points the likelihood alone mistakes noise for
// structure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::tune {

struct Prediction {
  double mean = 0;
  double deviation = 0;  // of the function, without noise and group effects
};

struct GaussianProcessOptions {
  double expected_noise = 0.1;  // standard deviation of a measurement, in the values' unit
  double noise_spread = 1;      // sigma of the logarithm of its variance: its uncertainty
};

class GaussianProcess {
 public:
  // `values` belong to `points`, at least one; all points have the same number of coordinates,
  // about 0 to 1. O(points^3) for each of about 100 evaluations: 5 ms for 30 points.
  static GaussianProcess Fit(const std::vector<std::vector<double>>& points,
                             const std::vector<double>& values,
                             const std::vector<std::uint64_t>& groups,
                             const GaussianProcessOptions& options);
  GaussianProcess(GaussianProcess&&) noexcept;
  GaussianProcess& operator=(GaussianProcess&&) noexcept;
  ~GaussianProcess();

  // O(points^2).
  Prediction Predict(const std::vector<double>& point) const;

  double noise() const;                 // standard deviation of a measurement
  std::vector<double> lengths() const;  // one per coordinate

 private:
  struct State;
  explicit GaussianProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::tune
