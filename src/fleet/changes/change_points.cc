#include "fleet/changes/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "statistics/welch.h"

namespace rankscope::fleet {
namespace {

// The first pass takes points up to this many times the p value that the last one allows.
constexpr double kFirstPass = 10;

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double SumOfSquares(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

struct PointSplit {
  std::size_t index = 0;
  double distance = 0;
};

// Where the weighted energy distance is largest. Moving the border by one value changes the three
// sums of distances by that value's distances to the left and to the right.
std::optional<PointSplit> BestSplit(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 4) return std::nullopt;
  double within_left = 0, within_right = 0, between = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) within_right += std::abs(values[i] - values[j]);
  }
  std::optional<PointSplit> best;
  for (std::size_t border = 1; border + 2 <= n; ++border) {
    double to_left = 0, to_right = 0;
    const double moved = values[border - 1];
    for (std::size_t i = 0; i + 1 < border; ++i) to_left += std::abs(moved - values[i]);
    for (std::size_t i = border; i < n; ++i) to_right += std::abs(moved - values[i]);
    within_left += to_left;
    within_right -= to_right;
    between += to_right - to_left;
    if (border < 2) continue;
    const auto left = static_cast<double>(border);
    const auto right = static_cast<double>(n - border);
    const double energy = 2 * between / (left * right) - 2 * within_left / (left * (left - 1)) -
                          2 * within_right / (right * (right - 1));
    const double distance = left * right / (left + right) * energy;
    if (!best || distance > best->distance) best = PointSplit{border, distance};
  }
  return best;
}

ChangePoint Judge(std::span<const double> series, std::size_t begin, std::size_t index,
                  std::size_t end) {
  const auto left = series.subspan(begin, index - begin);
  const auto right = series.subspan(index, end - index);
  return {.index = index,
          .p = StudentTest(left, right),
          .before = Mean(left),
          .after = Mean(right),
          .begin = begin,
          .end = end};
}

// Splits the stretch [begin, end) where the distance is largest, then its parts, as long as the
// best split of all parts is significant. Borders are kept by index.
std::vector<std::size_t> SplitWindow(std::span<const double> series, std::size_t begin,
                                     std::size_t end, double most_p) {
  std::vector<std::size_t> borders = {begin, end};
  while (true) {
    std::optional<PointSplit> best;
    std::size_t part = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      const auto found = BestSplit(series.subspan(borders[i], borders[i + 1] - borders[i]));
      if (!found || (best && found->distance <= best->distance)) continue;
      best = PointSplit{borders[i] + found->index, found->distance};
      part = i;
    }
    if (!best || Judge(series, borders[part], best->index, borders[part + 1]).p > most_p) break;
    borders.insert(borders.begin() + static_cast<std::ptrdiff_t>(part) + 1, best->index);
  }
  return {borders.begin() + 1, borders.end() - 1};
}

std::vector<std::size_t> WeakPoints(std::span<const double> series, const ChangeOptions& options) {
  const double p = options.most_p < 0.05 ? kFirstPass * options.most_p : options.most_p;
  const std::size_t window = std::max<std::size_t>(options.window, 4);
  std::vector<std::size_t> points;
  for (std::size_t start = 0; start < series.size();) {
    const std::vector<std::size_t> found =
        SplitWindow(series, start, std::min(start + window, series.size()), p);
    points.insert(points.end(), found.begin(), found.end());
    start = std::max(found.empty() ? 0 : found.back(), start + window / 2);
  }
  return points;
}

std::vector<ChangePoint> JudgeAll(std::span<const double> series,
                                  const std::vector<std::size_t>& indexes) {
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    points.push_back(Judge(series, i == 0 ? 0 : indexes[i - 1], indexes[i],
                           i + 1 < indexes.size() ? indexes[i + 1] : series.size()));
  }
  return points;
}

double SizeOf(const ChangePoint& point) { return std::abs(point.after - point.before); }

}  // namespace

double StudentTest(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty() || a.size() + b.size() < 3) return 1;
  const double mean_a = Mean(a), mean_b = Mean(b);
  if (mean_a == mean_b) return 1;
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double degrees = n_a + n_b - 2;
  const double variance = (SumOfSquares(a, mean_a) + SumOfSquares(b, mean_b)) / degrees;
  const double error = std::sqrt(variance * (1 / n_a + 1 / n_b));
  if (error == 0) return 0;
  return StudentTwoSided((mean_a - mean_b) / error, degrees);
}

std::vector<ChangePoint> FindChangePoints(std::span<const double> series,
                                          const ChangeOptions& options) {
  std::vector<std::size_t> indexes = WeakPoints(series, options);
  while (true) {
    const std::vector<ChangePoint> points = JudgeAll(series, indexes);
    if (points.empty()) return points;
    auto drop = std::ranges::max_element(points, {}, &ChangePoint::p);
    if (drop->p <= options.most_p) {
      drop = std::ranges::min_element(points, {}, SizeOf);
      if (SizeOf(*drop) >= options.least_change) return points;
    }
    indexes.erase(indexes.begin() + (drop - points.begin()));
  }
}

}  // namespace rankscope::fleet
