#include "serving/load/warm_up.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "statistics/trend.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kBatch = 5;
constexpr std::size_t kLeastValues = 50;
constexpr double kWarmUpClearTrend = 0.05;
constexpr double kAsSmall = 1 + 1e-9;  // what rounding leaves is no difference

}  // namespace

std::optional<std::size_t> WarmUpOf(std::span<const double> values) {
  if (values.size() < kLeastValues) return std::nullopt;
  std::vector<double> means(values.size() / kBatch);
  for (std::size_t batch = 0; batch < means.size(); ++batch) {
    for (std::size_t i = 0; i < kBatch; ++i) means[batch] += values[batch * kBatch + i] / kBatch;
  }
  // From the end, by Welford: of the last n their mean and the sum of squares around it.
  double mean = 0, squares = 0, least = 0;
  std::size_t best = means.size(), count = 0;
  for (std::size_t first = means.size(); first-- > 0;) {
    ++count;
    const double delta = means[first] - mean;
    mean += delta / static_cast<double>(count);
    squares += delta * (means[first] - mean);
    // Of a few values the variance says nothing.
    if (count < kBatch) continue;
    const double error = squares / (static_cast<double>(count) * static_cast<double>(count));
    if (best == means.size() || error <= least * kAsSmall) {
      best = first;
      least = error;
    }
  }
  if (best <= means.size() / 2) return best * kBatch;
  // Of few requests the least lies anywhere: what shows no trend was steady all along.
  std::vector<double> sorted = means;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> ranks;
  for (const double one : means)
    ranks.push_back(std::ranges::lower_bound(sorted, one) - sorted.begin());
  if (TrendProbability(ranks).value_or(0) >= kWarmUpClearTrend) return 0;
  return std::nullopt;
}

}  // namespace rankscope::serving
