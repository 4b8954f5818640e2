#include "analysis/counters/sample_series.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {

SampleSeries::SampleSeries(std::vector<Sample> samples) : samples_(std::move(samples)) {
  std::vector<std::int64_t> distances;
  distances.reserve(samples_.size());
  for (std::size_t i = 1; i < samples_.size(); ++i)
    distances.push_back(samples_[i].begin - samples_[i - 1].begin);
  std::int64_t median = 0;
  if (!distances.empty()) {
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    median = *middle;
  }
  before_.reserve(samples_.size());
  Covered sum;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    Sample& sample = samples_[i];
    const std::int64_t longest = SaturatingAdd(
        sample.begin, i + 1 == samples_.size() ? median : SaturatingAdd(median, median));
    sample.end = i + 1 == samples_.size() ? longest : std::min(samples_[i + 1].begin, longest);
    before_.push_back(sum);
    AddSaturating(sum.ns, sample.end - sample.begin);
    sum.integral += sample.value * static_cast<double>(sample.end - sample.begin);
  }
}

SampleSeries::Covered SampleSeries::Until(std::int64_t t) const {
  const auto after = std::ranges::upper_bound(samples_, t, {}, &Sample::begin);
  if (after == samples_.begin()) return {};
  const auto index = static_cast<std::size_t>(after - samples_.begin()) - 1;
  const Sample& sample = samples_[index];
  const std::int64_t ns = std::min(t, sample.end) - sample.begin;
  return {SaturatingAdd(before_[index].ns, ns),
          before_[index].integral + sample.value * static_cast<double>(ns)};
}

SampleSeries::Covered SampleSeries::Over(std::int64_t begin, std::int64_t end) const {
  const Covered to_end = Until(end);
  const Covered to_begin = Until(begin);
  return {to_end.ns - to_begin.ns, to_end.integral - to_begin.integral};
}

std::map<SeriesKey, SampleSeries> SeriesOf(const RankTrace& trace) {
  std::map<SeriesKey, std::vector<Sample>> samples;
  for (const Track& track : trace.tracks) {
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kCounter) continue;
      for (const CounterArgs& counter : trace.CountersOf(row)) {
        samples[{track.first, trace.name[row], counter.name}].push_back(
            {.begin = trace.ts_ns[row], .value = counter.value});
      }
    }
  }
  std::map<SeriesKey, SampleSeries> series;
  for (auto& [key, of_key] : samples) {
    std::ranges::stable_sort(of_key, {}, &Sample::begin);
    series.emplace(key, SampleSeries(std::move(of_key)));
  }
  return series;
}

}  // namespace rankscope
