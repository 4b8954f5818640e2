// The baselines that a search must beat: random search and coordinate descent.
#pragma once

#include <functional>
#include <optional>

#include "tune/search/draw.h"
#include "tune/search/space.h"
#include "tune/search/trial.h"

namespace rankscope::tune {

using Trier = std::function<Measurement(const Point&, std::uint64_t schedule)>;

// The best measured point that kept the limits.
class BestSoFar {
 public:
  explicit BestSoFar(const std::vector<Limit>& limits) : limits_(limits) {}
  // Whether it is the new best.
  bool See(const Point& point, const Measurement& measured) {
    if (measured.crashed || (point_ && measured.objective <= objective_)) return false;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      if (!(measured.metrics[i] <= limits_[i].most)) return false;
    point_ = point;
    objective_ = measured.objective;
    return true;
  }
  const std::optional<Point>& point() const { return point_; }

 private:
  const std::vector<Limit>& limits_;
  std::optional<Point> point_;
  double objective_ = 0;
};

// The defaults, then random points.
inline std::optional<Point> RandomSearch(const Space& space, const std::vector<Limit>& limits,
                                         int trials, std::uint64_t seed, const Trier& run) {
  BestSoFar best(limits);
  best.See(space.Standard(), run(space.Standard(), 0));
  std::uint64_t draw = 0;
  for (int trial = 1; trial < trials;) {
    std::vector<double> unit;
    for (std::size_t i = 0; i < space.size(); ++i) unit.push_back(Uniform(Draw(seed, draw++)));
    const Point point = space.FromUnit(unit);
    if (!space.KeepsOrders(point)) continue;
    best.See(point, run(point, static_cast<std::uint64_t>(trial++)));
  }
  return best.point();
}

// From the defaults along one parameter after the other. The step is a sixth of the range at first
// and is halved after a round without a gain; a step that gains is repeated.
inline std::optional<Point> CoordinateDescent(const Space& space, const std::vector<Limit>& limits,
                                              int trials, const Trier& run) {
  BestSoFar best(limits);
  Point at = space.Standard();
  int trial = 0;
  best.See(at, run(at, static_cast<std::uint64_t>(trial++)));
  for (double step = 1.0 / 6; trial < trials && step > 0.02;) {
    bool has_gained = false;
    for (std::size_t i = 0; i < space.size(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        while (trial < trials) {
          std::vector<double> unit = space.ToUnit(at);
          unit[i] += sign * step;
          const Point point = space.FromUnit(unit);
          if (point == at || !space.KeepsOrders(point)) break;
          if (!best.See(point, run(point, static_cast<std::uint64_t>(trial++)))) break;
          at = point;
          has_gained = true;
        }
      }
    }
    if (!has_gained) step /= 2;
  }
  return best.point();
}

}  // namespace rankscope::tune
