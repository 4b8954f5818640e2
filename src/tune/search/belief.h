// Belief: predictions from the trials so far, for points that were not tried.
//
//   objective  a Gaussian process on its logarithm; values below a quarter of the best count as a
//              quarter, since values and noise far from the best do not help to find the best
//   limits     one process for each, on log(metric / limit), clamped at a factor of 3 either way
//              for the same reason
//   crashes    (1 + sum k * ok) / (1 + sum k) over the trials, k = exp(-(distance / 0.15)^2 / 2):
//              one imagined start that succeeded everywhere, and the real ones nearby
//
// Distances are between Space::Features.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "tune/search/gaussian_process.h"
#include "tune/search/space.h"
#include "tune/search/trial.h"

namespace rankscope::tune {

class Belief {
 public:
  // `noise` is the deviation between equal runs, in the objective's logarithm (NoiseOf). The space
  // must outlive it. O(trials^3), as GaussianProcess::Fit, for each limit and the objective.
  Belief(const Space& space, const std::vector<Limit>& limits, const std::vector<Trial>& trials,
         double noise);

  // Of the logarithm. nullopt: no trial has run without a crash yet.
  std::optional<Prediction> Objective(const Point& point) const;
  // Chance that it starts, survives, and keeps all limits on average.
  double ChanceOk(const Point& point) const;
  // The greatest value over the limits of: mean of log(metric / limit) plus `deviations`
  // deviations. Below 0 the limits are kept. -1 without limits; +1 before any trial has run.
  double WorstExcess(const Point& point, double deviations) const;

 private:
  double ChanceOfNoCrash(const Point& point, const std::vector<double>& features) const;

  const Space& space_;
  std::size_t limits_;
  std::optional<GaussianProcess> objective_;
  std::vector<GaussianProcess> excess_;
  std::optional<GaussianProcess> crash_;  // if some trials crashed and some did not
  std::set<Point> crashed_;
};

// The standard deviation of the logarithm of the objective between runs of equal points, pooled
// with a prior of 5% that counts as two trials.
double NoiseOf(const std::vector<Trial>& trials);
// As the belief uses it: the logarithm, at least that of `best` / 4.
double LogObjective(double objective, double best);
// log(metric / limit), clamped.
double ExcessOf(double metric, const Limit& limit);
// The greatest objective of a trial that did not crash; 0 if there is none.
double BestObjective(const std::vector<Trial>& trials);

}  // namespace rankscope::tune
