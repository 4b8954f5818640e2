#include "insight/evidence/steps/step_line.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/median.h"
#include "statistics/trend.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostPoints = 20;
constexpr double kMostChanceOfLine = 0.01;
// Of steps that grow by kMuchGrowth.
constexpr double kMostChanceOfMuch = 0.02;
constexpr double kMuchGrowth = 0.10;

}  // namespace

bool StepLine::IsOfGrowingSteps(double least_growth) const {
  return Grows(kMostChanceOfLine, least_growth) || Grows(kMostChanceOfMuch, kMuchGrowth);
}

StepLine LineOfSteps(const std::vector<std::int64_t>& times) {
  const std::size_t per_point = (times.size() + kMostPoints - 1) / kMostPoints;
  std::vector<Point> points;
  std::vector<std::int64_t> levels;
  for (std::size_t begin = 0; begin + per_point <= times.size(); begin += per_point) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = static_cast<std::ptrdiff_t>(per_point);
    levels.push_back(std::accumulate(first, first + count, std::int64_t{0}) / count);
    points.push_back({static_cast<std::int64_t>(points.size()), levels.back()});
  }
  const double slope = TheilSenSlope(points).value_or(0);
  std::vector<double> at_first;
  at_first.reserve(points.size());
  for (const Point& point : points)
    at_first.push_back(static_cast<double>(point.y) - slope * static_cast<double>(point.x));
  const double first = MedianOf(at_first);
  return {
      .first = first,
      .last = first + slope * static_cast<double>(points.size() - 1),
      .chance = TrendProbability(levels).value_or(1),
      .mean = static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) /
              static_cast<double>(times.size())};
}

std::vector<std::size_t> StepsInOrder(const RuleInput& input) {
  std::map<std::int64_t, std::vector<std::size_t>> by_phase;
  const std::vector<JobGraph::Step>& steps = input.graph().steps();
  for (const std::size_t step : input.counted()) by_phase[steps[step].phase].push_back(step);
  if (by_phase.empty()) return {};
  std::vector<std::size_t> in_order =
      std::max_element(by_phase.begin(), by_phase.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      })->second;
  std::sort(in_order.begin(), in_order.end(), [&](std::size_t a, std::size_t b) {
    return input.now().StepEnd(a) < input.now().StepEnd(b);
  });
  return in_order;
}

}  // namespace rankscope
