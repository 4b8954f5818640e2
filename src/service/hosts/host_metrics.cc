#include "service/hosts/host_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "service/base/numbers.h"

namespace rankscope::service {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kSeriesBytes = HostMetrics::kSteps * sizeof(float) + 128;  // with its place
constexpr std::int64_t kForgetEvery = 12;                                          // steps

std::int64_t StepOf(std::int64_t unix_ms) { return unix_ms / HostMetrics::kStepMs; }

std::size_t Place(std::int64_t step) {
  return static_cast<std::size_t>(step % HostMetrics::kSteps);
}

}  // namespace

std::span<const quantity::Quantity* const> HostQuantities() {
  namespace q = quantity;
  static constexpr auto kTaken = std::to_array<const q::Quantity*>(
      {&q::kDeviceBusy, &q::kDevicePower, &q::kDeviceTemperature, &q::kDeviceMemoryUsed,
       &q::kDeviceSmClock, &q::kDeviceSlowed, &q::kDeviceSmActive, &q::kDeviceTensorActive,
       &q::kDeviceDramActive, &q::kHostCpuBusy, &q::kHostCpuPressure, &q::kHostMemoryUsed,
       &q::kHostMemoryPressure, &q::kHostIoPressure, &q::kHostNetworkReceived, &q::kHostNetworkSent,
       &q::kHostRunnable, &q::kHostContextSwitches});
  return kTaken;
}

bool HostMetrics::TakeOne(const std::string& host, const HostSample& sample, std::int64_t now_ms) {
  const auto names = HostQuantities();
  const auto name = std::ranges::find(names, sample.name, &quantity::Quantity::name);
  const std::int64_t step = StepOf(sample.unix_ms), now = StepOf(now_ms);
  // Clocks are known to some milliseconds, and reports take their time.
  constexpr std::int64_t kAhead = 2;
  if (name == names.end() || !std::isfinite(sample.value) ||
      std::abs(sample.value) > std::numeric_limits<float>::max() || sample.device < -1 ||
      sample.device >= kMostDevices || step > now + kAhead || step <= now - kSteps)
    return false;
  const Key key(host, static_cast<std::size_t>(name - names.begin()), sample.device);
  auto found = rings_.find(key);
  if (found == rings_.end()) {
    if ((rings_.size() + 1) * kSeriesBytes > kMostBytes) return false;
    found = rings_.emplace(key, Ring{step, std::vector<float>(kSteps, kUnknown)}).first;
  }
  Ring& ring = found->second;
  if (step <= ring.newest - kSteps) return false;
  // What lies between was not told.
  for (std::int64_t i = std::max(ring.newest + 1, step - kSteps + 1); i <= step; ++i)
    ring.values[Place(i)] = kUnknown;
  ring.newest = std::max(ring.newest, step);
  ring.values[Place(step)] = static_cast<float>(sample.value);
  return true;
}

void HostMetrics::Forget(std::int64_t now_step) {
  if (now_step - forgot_step_ < kForgetEvery) return;
  forgot_step_ = now_step;
  std::erase_if(rings_, [&](const auto& one) { return one.second.newest <= now_step - kSteps; });
}

void HostMetrics::Take(const std::string& host, std::span<const HostSample> samples,
                       std::int64_t now_ms) {
  const std::scoped_lock lock(mutex_);
  Forget(StepOf(now_ms));
  for (const HostSample& one : samples) ++(TakeOne(host, one, now_ms) ? taken_ : refused_);
}

std::vector<HostSeries> HostMetrics::Of(const std::string& host, std::string_view name,
                                        std::int64_t points, std::int64_t now_ms,
                                        std::int64_t& begin_ms, std::int64_t& step_ms) const {
  points = std::clamp<std::int64_t>(points, 1, kSteps);
  const std::int64_t each = (kSteps + points - 1) / points;
  const std::int64_t count = (kSteps + each - 1) / each;
  const std::int64_t begin = StepOf(now_ms) + 1 - count * each;
  begin_ms = begin * kStepMs;
  step_ms = each * kStepMs;
  std::vector<HostSeries> found;
  const auto names = HostQuantities();
  const std::scoped_lock lock(mutex_);
  for (auto one = rings_.lower_bound(Key(host, 0, -1));
       one != rings_.end() && std::get<0>(one->first) == host; ++one) {
    const quantity::Quantity& about = *names[std::get<1>(one->first)];
    if (!name.empty() && about.name != name) continue;
    const Ring& ring = one->second;
    HostSeries series{about.name, about.unit, std::get<2>(one->first), {}, {}};
    for (std::int64_t point = 0; point < count; ++point) {
      float low = kUnknown, high = kUnknown;
      for (std::int64_t step = begin + point * each; step < begin + (point + 1) * each; ++step) {
        if (step > ring.newest || step <= ring.newest - kSteps) continue;
        // Of a number and none the number is taken.
        low = std::fmin(low, ring.values[Place(step)]);
        high = std::fmax(high, ring.values[Place(step)]);
      }
      series.low.push_back(low);
      series.high.push_back(high);
    }
    found.push_back(std::move(series));
  }
  return found;
}

void HostMetrics::Drop(const std::string& host) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(rings_, [&](const auto& one) { return std::get<0>(one.first) == host; });
}

HostMetricNumbers HostMetrics::numbers() const {
  const std::scoped_lock lock(mutex_);
  return {rings_.size(), rings_.size() * kSeriesBytes, taken_, refused_};
}

void AppendHostMetricNumbers(std::string& out, const HostMetricNumbers& numbers) {
  AppendMetric(out, "rankscope_host_series", "gauge", "Series of hosts' telemetry that are kept.",
               static_cast<double>(numbers.series));
  AppendMetric(out, "rankscope_host_series_bytes", "gauge", "Memory that they take.",
               static_cast<double>(numbers.bytes));
  AppendMetric(out, "rankscope_host_samples_total", "counter", "Samples of hosts that were taken.",
               static_cast<double>(numbers.taken));
  AppendMetric(out, "rankscope_host_samples_refused_total", "counter",
               "Samples of hosts that were not: of another name, no number, too old, too many.",
               static_cast<double>(numbers.refused));
}

}  // namespace rankscope::service
