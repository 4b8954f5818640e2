// Belief: what the trials so far say of points that were not tried.
//
//   objective  a Gaussian process on its logarithm; what is below a quarter of the best is a
//   quarter,
//              since far from the best neither values nor their noise say anything about it
//   limits     one for each, on log(metric / limit), cut at a factor of 3 either way for the same
//              reason
//   crashes    (1 + sum k * ok) / (1 + sum k) over the trials, k = exp(-(distance / 0.15)^2 / 2):
//   one
//              imagined start that went well everywhere, and the real ones near by
//
// Distances are of Space::Features.
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
  // `noise` is what equal runs differ by, in the objective's logarithm (NoiseOf). The space
  // outlives it. O(trials^3), as GaussianProcess::Fit, for each limit and the objective.
  Belief(const Space& space, const std::vector<Limit>& limits, const std::vector<Trial>& trials,
         double noise);

  // Of the logarithm. nullopt: nothing has run yet without a crash.
  std::optional<Prediction> Objective(const Point& point) const;
  // That it starts, lives, and keeps all limits on average.
  double ChanceOk(const Point& point) const;
  // Of the limits, the mean of log(metric / limit) and so many deviations, the greatest; below 0
  // they are kept. Without limits -1; +1 before anything has run.
  double WorstExcess(const Point& point, double deviations) const;

 private:
  double ChanceOfNoCrash(const Point& point, const std::vector<double>& features) const;

  const Space& space_;
  std::size_t limits_;
  std::optional<GaussianProcess> objective_;
  std::vector<GaussianProcess> excess_;
  std::optional<GaussianProcess> crash_;  // where some crashed, and some did not
  std::set<Point> crashed_;
};

// The standard deviation of the logarithm of the objective of equal points, pooled with 5% that
// count as two trials.
double NoiseOf(const std::vector<Trial>& trials);
// As the belief has it: the logarithm, from a quarter of `best` on.
double LogObjective(double objective, double best);
// log(metric / limit), cut.
double ExcessOf(double metric, const Limit& limit);
// The greatest objective of a trial that did not crash; 0 without.
double BestObjective(const std::vector<Trial>& trials);

}  // namespace rankscope::tune
