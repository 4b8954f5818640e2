#include "fleet/hours/use.h"

#include <algorithm>

#include "base/median.h"

namespace rankscope::fleet {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kPerMicrosecond = kWhole / 1000;  // millionths of a millisecond
constexpr std::int64_t kUsualDistances = 2;
// Of a single sample: what Prometheus scrapes by default.
constexpr std::int64_t kScrapeMs = 60'000;
constexpr std::int64_t kLongestMs = 24 * 3'600'000;  // no mean of a day says when

std::int64_t UsualDistance(const std::vector<UseSeries::Sample>& samples) {
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < samples.size(); ++i)
    distances.push_back(samples[i].at_ms - samples[i - 1].at_ms);
  return distances.empty() ? kScrapeMs : MedianOf(distances);
}

}  // namespace

void NodeUse::Add(const UseSeries& series) {
  const std::int64_t usual = UsualDistance(series.samples);
  Steps added{.is_of_node = series.is_of_node, .steps = {}};
  std::int64_t known = 0, busy = 0;
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    const UseSeries::Sample& sample = series.samples[i];
    const std::int64_t since = i == 0 ? usual : sample.at_ms - series.samples[i - 1].at_ms;
    const std::int64_t length = std::min({since, kUsualDistances * usual, kLongestMs});
    if (length <= 0) continue;
    added.steps.push_back({.begin_ms = sample.at_ms - length,
                           .end_ms = sample.at_ms,
                           .busy = sample.busy,
                           .known_before = known,
                           .busy_before = busy});
    known += length;
    busy += length * sample.busy;
  }
  series_.push_back(std::move(added));
}

NodeUse::Before NodeUse::Until(const std::vector<Step>& steps, std::int64_t at_ms) {
  const auto next = std::partition_point(steps.begin(), steps.end(),
                                         [&](const Step& step) { return step.begin_ms < at_ms; });
  if (next == steps.begin()) return {};
  const Step& step = *std::prev(next);
  const std::int64_t part = std::min(at_ms, step.end_ms) - step.begin_ms;
  return {step.known_before + part, step.busy_before + part * step.busy};
}

NodeUse::Sum NodeUse::In(std::int64_t from_ms, std::int64_t until_ms, std::int64_t devices) const {
  Sum of_devices, of_node;
  for (const Steps& series : series_) {
    const Before end = Until(series.steps, until_ms), begin = Until(series.steps, from_ms);
    Sum& sum = series.is_of_node ? of_node : of_devices;
    sum.known_ms += end.known_ms - begin.known_ms;
    sum.busy_us += (end.busy - begin.busy) / kPerMicrosecond;
  }
  // What is said of each device says more than their mean.
  Sum sum = of_devices;
  if (sum.known_ms == 0) sum = {of_node.known_ms * devices, of_node.busy_us * devices};
  const std::int64_t most = (until_ms - from_ms) * devices;
  if (sum.known_ms <= most) return sum;
  return {most, static_cast<std::int64_t>(static_cast<Wide>(sum.busy_us) * most / sum.known_ms)};
}

}  // namespace rankscope::fleet
