#include "tune/search/acquisition.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tune/search/draw.h"

namespace rankscope::tune {
namespace {

constexpr std::uint64_t kAnywhere = 1500;
constexpr std::uint64_t kNearBy = 500;
constexpr std::size_t kCentres = 3;
constexpr double kReach = 0.15;  // of the cube, for points near by
constexpr double kTriedReach = 0.06;
constexpr double kCuriosity = 2;

struct Tried {
  Point point;
  double mean = 0;
  bool is_likely_ok = false;
};

// Distinct, the best first: those that are likely to be all right before the others.
std::vector<Tried> Ranked(const Belief& belief, const std::vector<Trial>& trials) {
  std::vector<Tried> tried;
  for (const Trial& trial : trials) {
    const Point& point = trial.asked.point;
    const auto prediction = belief.Objective(point);
    if (!prediction || std::ranges::find(tried, point, &Tried::point) != tried.end()) continue;
    tried.push_back({point, prediction->mean, belief.ChanceOk(point) >= kLikelyOk});
  }
  std::ranges::stable_sort(tried, [](const Tried& a, const Tried& b) {
    return std::pair(a.is_likely_ok, a.mean) > std::pair(b.is_likely_ok, b.mean);
  });
  return tried;
}

// Within a sixteenth of the range of a tried point in every parameter.
bool IsTried(const Space& space, const std::vector<Trial>& trials, const Point& point) {
  const std::vector<double> own = space.Features(point);
  return std::ranges::any_of(trials, [&](const Trial& trial) {
    const std::vector<double> other = space.Features(trial.asked.point);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (std::abs(own[i] - other[i]) >= kTriedReach) return false;
    return true;
  });
}

class Candidates {
 public:
  Candidates(const Space& space, const Box& box, std::uint64_t seed)
      : space_(space), box_(box), seed_(seed) {}

  Point Anywhere(std::uint64_t number) const {
    std::vector<double> unit(space_.size());
    for (std::size_t i = 0; i < unit.size(); ++i)
      unit[i] = box_.least[i] + UniformOf(number, i) * (box_.most[i] - box_.least[i]);
    return space_.FromUnit(unit);
  }
  // Every coordinate moves by chance of a half.
  Point Near(const Point& centre, std::uint64_t number) const {
    std::vector<double> unit = space_.ToUnit(centre);
    for (std::size_t i = 0; i < unit.size(); ++i) {
      if (UniformOf(number, 100 + i) < 0.5) continue;
      const double moved = unit[i] + (2 * UniformOf(number, 200 + i) - 1) * kReach;
      unit[i] = std::clamp(moved, box_.least[i], box_.most[i]);
    }
    return space_.FromUnit(unit);
  }

 private:
  double UniformOf(std::uint64_t number, std::uint64_t what) const {
    return Uniform(Draw(Draw(seed_, number), what));
  }
  const Space& space_;
  const Box& box_;
  std::uint64_t seed_;
};

}  // namespace

double ExpectedImprovement(const Prediction& prediction, double than) {
  const double gain = prediction.mean - than;
  if (prediction.deviation <= 0) return std::max(gain, 0.0);
  const double z = gain / prediction.deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return gain * below + prediction.deviation * density;
}

Point NextPoint(const Space& space, const Box& box, const Belief& belief,
                const std::vector<Trial>& trials, std::uint64_t seed) {
  const std::vector<Tried> tried = Ranked(belief, trials);
  const bool has_ok = !tried.empty() && tried.front().is_likely_ok;
  const Candidates candidates(space, box, seed);
  Point best = space.Standard();
  double best_score = -1;
  const auto consider = [&](Point point) {
    if (!space.KeepsOrders(point) || IsTried(space, trials, point)) return;
    double score = belief.ChanceOk(point);
    if (has_ok) {
      Prediction objective = *belief.Objective(point);
      objective.deviation *= kCuriosity;
      score = std::sqrt(score) * ExpectedImprovement(objective, tried.front().mean);
    }
    if (score <= best_score) return;
    best_score = score;
    best = std::move(point);
  };
  for (std::uint64_t i = 0; i < kAnywhere; ++i) consider(candidates.Anywhere(i));
  const std::size_t centres = std::min(kCentres, tried.size());
  for (std::uint64_t i = 0; i < kNearBy && centres > 0; ++i)
    consider(candidates.Near(tried[i % centres].point, kAnywhere + i));
  return best;
}

}  // namespace rankscope::tune
