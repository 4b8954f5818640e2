#include "tune/search/belief.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace rankscope::tune {
namespace {

constexpr double kLeastShare = 0.25;  // of the best objective
constexpr double kMostExcess = 1.1;   // a factor of 3
constexpr double kCrashNoise = 0.2;
constexpr double kBeliefUsualNoise = 0.05;
constexpr double kBeliefUsualWeight = 2;
constexpr double kLeastObjective = 1e-300;
constexpr double kExcessNoise = 0.1;
constexpr double kUnsure = 1;  // sigma of a logarithm

double NormalBelow(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace

double LogObjective(double objective, double best) {
  return std::log(std::max({objective, kLeastShare * best, kLeastObjective}));
}

double ExcessOf(double metric, const Limit& limit) {
  if (!std::isfinite(metric)) return kMostExcess;
  const double ratio = std::max(metric, 0.0) / limit.most;
  return std::clamp(std::log(std::max(ratio, kLeastObjective)), -kMostExcess, kMostExcess);
}

double BestObjective(const std::vector<Trial>& trials) {
  double best = 0;
  for (const Trial& trial : trials)
    if (!trial.measured.crashed) best = std::max(best, trial.measured.objective);
  return best;
}

double NoiseOf(const std::vector<Trial>& trials) {
  std::map<Point, std::vector<double>> by_point;
  const double best = BestObjective(trials);
  for (const Trial& trial : trials) {
    if (!trial.measured.crashed)
      by_point[trial.asked.point].push_back(LogObjective(trial.measured.objective, best));
  }
  double squares = kBeliefUsualWeight * kBeliefUsualNoise * kBeliefUsualNoise;
  double freedom = kBeliefUsualWeight;
  for (const auto& [point, values] : by_point) {
    double sum = 0;
    for (const double value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    freedom += static_cast<double>(values.size()) - 1;
  }
  return std::sqrt(squares / freedom);
}

Belief::Belief(const Space& space, const std::vector<Limit>& limits,
               const std::vector<Trial>& trials, double noise)
    : space_(space), limits_(limits.size()) {
  std::vector<std::vector<double>> points, all;
  std::vector<double> values, labels;
  std::vector<std::uint64_t> schedules, all_schedules;
  std::vector<std::vector<double>> excess(limits.size());
  const double best = BestObjective(trials);
  for (const Trial& trial : trials) {
    all.push_back(space.Features(trial.asked.point));
    labels.push_back(trial.measured.crashed ? 1 : -1);
    all_schedules.push_back(trial.asked.schedule);
    if (trial.measured.crashed) {
      crashed_.insert(trial.asked.point);
      continue;
    }
    points.push_back(all.back());
    schedules.push_back(trial.asked.schedule);
    values.push_back(LogObjective(trial.measured.objective, best));
    for (std::size_t i = 0; i < limits.size(); ++i)
      excess[i].push_back(ExcessOf(trial.measured.metrics[i], limits[i]));
  }
  if (points.empty()) return;
  if (!crashed_.empty()) {
    crash_ = GaussianProcess::Fit(all, labels, all_schedules, {.expected_noise = kCrashNoise});
  }
  objective_ = GaussianProcess::Fit(points, values, schedules, {.expected_noise = noise});
  for (const auto& of_limit : excess) {
    excess_.push_back(GaussianProcess::Fit(
        points, of_limit, schedules, {.expected_noise = kExcessNoise, .noise_spread = kUnsure}));
  }
}

std::optional<Prediction> Belief::Objective(const Point& point) const {
  if (!objective_) return std::nullopt;
  return objective_->Predict(space_.Features(point));
}

double Belief::ChanceOk(const Point& point) const {
  const std::vector<double> features = space_.Features(point);
  double chance = ChanceOfNoCrash(point, features);
  for (const GaussianProcess& limit : excess_) {
    const Prediction prediction = limit.Predict(features);
    chance *= NormalBelow(-prediction.mean / std::max(prediction.deviation, 1e-9));
  }
  return chance;
}

double Belief::WorstExcess(const Point& point, double deviations) const {
  if (!objective_) return 1;
  double worst = limits_ == 0 ? -1 : -std::numeric_limits<double>::infinity();
  const std::vector<double> features = space_.Features(point);
  for (const GaussianProcess& limit : excess_) {
    const Prediction prediction = limit.Predict(features);
    worst = std::max(worst, prediction.mean + deviations * prediction.deviation);
  }
  return worst;
}

double Belief::ChanceOfNoCrash(const Point& point, const std::vector<double>& features) const {
  if (crashed_.contains(point)) return 0;
  if (!crash_) return 1;
  const Prediction prediction = crash_->Predict(features);
  // std::hypot would need glibc 2.35, and packages run on 2.34.
  return NormalBelow(-prediction.mean / std::sqrt(prediction.deviation * prediction.deviation +
                                                  kCrashNoise * kCrashNoise));
}

}  // namespace rankscope::tune
