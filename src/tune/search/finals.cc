#include "tune/search/finals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tune/search/acquisition.h"

namespace rankscope::tune {
namespace {

constexpr double kSureOfLimits = 1.645;     // one-sided 95%
constexpr double kSureOfGain = 1.282;       // 80% within
constexpr double kFinalsUsualNoise = 0.05;  // of a difference, until rounds tell
constexpr double kFinalsUsualWeight = 2;    // rounds that it counts for
constexpr double kNear = 0.1;
constexpr double kLeastVariance = 1e-12;

struct Estimate {
  double mean = 0;
  double variance = 0;
};

Estimate Joined(const Estimate& a, const std::optional<Estimate>& b) {
  if (!b) return a;
  const double weight_a = 1 / a.variance, weight_b = 1 / b->variance;
  return {(a.mean * weight_a + b->mean * weight_b) / (weight_a + weight_b),
          1 / (weight_a + weight_b)};
}

// Logarithms of the objective in the finals: schedule, then point.
using Rounds = std::map<std::uint64_t, std::map<Point, double>>;

Rounds RoundsOf(const std::vector<Trial>& trials) {
  Rounds rounds;
  const double best = BestObjective(trials);
  for (const Trial& trial : trials) {
    if (trial.asked.stage == Stage::kFinal && !trial.measured.crashed)
      rounds[trial.asked.schedule][trial.asked.point] =
          LogObjective(trial.measured.objective, best);
  }
  return rounds;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Of a point, its values less those of the reference, a round each that has both.
std::vector<double> Differences(const Rounds& rounds, const Point& point,
                                const std::vector<Point>& reference) {
  std::vector<double> differences;
  for (const auto& [schedule, values] : rounds) {
    std::vector<double> others;
    for (const Point& other : reference)
      if (const auto found = values.find(other); found != values.end())
        others.push_back(found->second);
    const auto own = values.find(point);
    if (own != values.end() && !others.empty()) differences.push_back(own->second - Mean(others));
  }
  return differences;
}

// The mean over rounds, and its variance by what all points' differences vary by between rounds.
std::optional<Estimate> Paired(const Rounds& rounds, const Point& point,
                               const std::vector<Point>& points,
                               const std::vector<Point>& reference) {
  double squares = kFinalsUsualWeight * kFinalsUsualNoise * kFinalsUsualNoise;
  double freedom = kFinalsUsualWeight;
  for (const Point& one : points) {
    const std::vector<double> values = Differences(rounds, one, reference);
    if (values.empty()) continue;
    const double mean = Mean(values);
    for (const double value : values) squares += (value - mean) * (value - mean);
    freedom += static_cast<double>(values.size()) - 1;
  }
  const std::vector<double> own = Differences(rounds, point, reference);
  if (own.empty()) return std::nullopt;
  return Estimate{Mean(own), squares / freedom / static_cast<double>(own.size())};
}

bool KeepsLimits(const std::vector<Limit>& limits, const std::vector<Trial>& trials,
                 const Belief& belief, const Point& point) {
  std::vector<double> sums(limits.size());
  double runs = 0;
  for (const Trial& trial : trials) {
    if (trial.asked.point != point) continue;
    if (trial.measured.crashed) return false;
    ++runs;
    for (std::size_t i = 0; i < limits.size(); ++i)
      sums[i] += ExcessOf(trial.measured.metrics[i], limits[i]);
  }
  return runs > 0 && std::ranges::all_of(sums, [](double sum) { return sum <= 0; }) &&
         belief.WorstExcess(point, kSureOfLimits) <= 0;
}

// Nearly the same in every parameter.
bool IsNear(const Space& space, const Point& a, const Point& b) {
  const std::vector<double> one = space.Features(a), other = space.Features(b);
  for (std::size_t i = 0; i < one.size(); ++i)
    if (std::abs(one[i] - other[i]) > kNear) return false;
  return true;
}

}  // namespace

std::vector<Point> Finalists(const Space& space, const Belief& belief,
                             const std::vector<Trial>& trials) {
  struct Ranked {
    bool is_likely_ok;
    double score;
    Point point;
  };
  std::vector<Ranked> ranked;
  for (const Trial& trial : trials) {
    const Point& point = trial.asked.point;
    const auto objective = belief.Objective(point);
    if (!objective || trial.measured.crashed || point == space.Standard() ||
        std::ranges::find(ranked, point, &Ranked::point) != ranked.end()) {
      continue;
    }
    const double chance = belief.ChanceOk(point);
    const bool is_likely_ok = chance >= kLikelyOk;
    ranked.push_back(
        {is_likely_ok, is_likely_ok ? objective->mean + objective->deviation / 2 : chance, point});
  }
  std::ranges::stable_sort(ranked, [](const Ranked& a, const Ranked& b) {
    return std::pair(a.is_likely_ok, a.score) > std::pair(b.is_likely_ok, b.score);
  });
  std::vector<Point> points;
  for (const bool takes_near : {false, true}) {
    for (const Ranked& one : ranked) {
      const auto is_near = [&](const Point& other) { return IsNear(space, one.point, other); };
      if (points.size() == kMostFinalists || std::ranges::count(points, one.point) > 0) continue;
      if (takes_near || std::ranges::none_of(points, is_near)) points.push_back(one.point);
    }
  }
  return points;
}

std::optional<Choice> Choose(const Space& space, const std::vector<Limit>& limits,
                             const std::vector<Trial>& trials,
                             const std::vector<Point>& finalists) {
  std::vector<Trial> before;
  std::ranges::copy_if(trials, std::back_inserter(before),
                       [](const Trial& trial) { return trial.asked.stage != Stage::kFinal; });
  const double noise = NoiseOf(before);
  const Belief early(space, limits, before, noise);
  const Belief all(space, limits, trials, noise);
  const Point standard = space.Standard();
  const Rounds rounds = RoundsOf(trials);
  const auto expected = [&](const Point& point) {
    const Prediction prediction = *early.Objective(point);
    return Estimate{prediction.mean, prediction.deviation * prediction.deviation + kLeastVariance};
  };

  std::vector<Point> candidates;
  std::ranges::copy_if(finalists, std::back_inserter(candidates),
                       [&](const Point& point) { return KeepsLimits(limits, trials, all, point); });
  const bool is_standard_ok = KeepsLimits(limits, trials, all, standard);
  const auto stay = is_standard_ok ? std::optional(Choice{.point = standard}) : std::nullopt;
  if (candidates.empty() || !early.Objective(standard)) return stay;

  std::vector<double> means;
  for (const Point& point : candidates) means.push_back(expected(point).mean);
  const Point* best = nullptr;
  double best_low = 0;
  for (const Point& point : candidates) {
    const Estimate own = expected(point);
    const Estimate value = Joined({own.mean - Mean(means), own.variance},
                                  Paired(rounds, point, candidates, candidates));
    const double low = value.mean - kSureOfGain * std::sqrt(value.variance);
    if (best != nullptr && low <= best_low) continue;
    best = &point;
    best_low = low;
  }
  const Estimate own = expected(*best), base = expected(standard);
  const Estimate gain = Joined({own.mean - base.mean, own.variance + base.variance},
                               Paired(rounds, *best, candidates, {standard}));
  const double reach = kSureOfGain * std::sqrt(gain.variance);
  if (is_standard_ok && gain.mean - reach <= 0) return stay;
  return Choice{.point = *best,
                .gain = std::exp(gain.mean),
                .gain_low = std::exp(gain.mean - reach),
                .gain_high = std::exp(gain.mean + reach)};
}

}  // namespace rankscope::tune
