#include "agent/triggers/watch.h"

#include <algorithm>

namespace rankscope::agent {
namespace {

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::optional<double> Watch::ValueOf(Series& series, double reading, std::int64_t now_ms) const {
  const std::optional<double> before = std::exchange(series.before, reading);
  const std::int64_t before_ms = std::exchange(series.before_ms, now_ms);
  switch (rule_.value) {
    case RuleValue::kItself:
      return reading;
    case RuleValue::kRate:
    case RuleValue::kIncrease:
      // A counter that falls has begun anew.
      if (!before || reading < *before || now_ms <= before_ms) return std::nullopt;
      if (rule_.value == RuleValue::kIncrease) return reading - *before;
      return 1000 * (reading - *before) / static_cast<double>(now_ms - before_ms);
    case RuleValue::kRelative: {
      std::optional<double> relative;
      if (series.history.size() >= Rule::kLeastHistory) {
        const double median = MedianOf({series.history.begin(), series.history.end()});
        if (median > 0) relative = reading / median;
      }
      series.history.push_back(reading);
      if (series.history.size() > Rule::kMostHistory) series.history.pop_front();
      return relative;
    }
  }
  return std::nullopt;
}

bool Watch::Step(Series& series, bool is_so, std::int64_t now_ms) const {
  if (!is_so) {
    series.true_since_ms.reset();
    if (!series.false_since_ms) series.false_since_ms = now_ms;
    if (now_ms - *series.false_since_ms >= rule_.hold_ms) series.has_fired = false;
    return false;
  }
  series.false_since_ms.reset();
  if (!series.true_since_ms) series.true_since_ms = now_ms;
  if (series.has_fired || now_ms - *series.true_since_ms < rule_.hold_ms) return false;
  series.has_fired = true;
  return true;
}

std::vector<Crossing> Watch::See(const Snapshot& snapshot) {
  std::vector<Crossing> crossed;
  ++calls_;
  for (const Reading& reading : snapshot.Named(rule_.selector.name)) {
    if (!rule_.selector.Matches(reading)) continue;
    has_matched_ = true;
    std::string key = ToText(reading.labels);
    if (series_.size() >= kMostSeries && !series_.contains(key)) continue;
    Series& series = series_[std::move(key)];
    series.source = snapshot.source;
    series.seen = calls_;
    const std::optional<double> value = ValueOf(series, reading.value, snapshot.steady_ms);
    if (!value) {
      series.true_since_ms.reset();
      series.false_since_ms.reset();
      continue;
    }
    const bool is_so = rule_.is_above ? *value > rule_.threshold : *value < rule_.threshold;
    if (Step(series, is_so, snapshot.steady_ms)) crossed.push_back({reading.labels, *value});
  }
  for (auto one = series_.begin(); one != series_.end();) {
    Series& series = one->second;
    const bool is_gone = series.source == snapshot.source && series.seen != calls_;
    if (is_gone) {
      series.before.reset();
      series.true_since_ms.reset();
      series.false_since_ms.reset();
    }
    // One that has fired is remembered, so that it does not fire anew when it is back.
    const bool is_forgotten = is_gone && !series.has_fired && series.history.empty();
    one = is_forgotten ? series_.erase(one) : std::next(one);
  }
  return crossed;
}

}  // namespace rankscope::agent
