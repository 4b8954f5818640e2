// HostMetrics: what hosts and their devices did over the last hour, by the samples that agents send
// with their reports; in memory, so a server that starts anew begins anew.
//
// An hour is 720 steps of five seconds by this server's clock. A series has a float for each: 2.9
// kB, of a host with eight devices 250 kB, and of all hosts at most kMostBytes. Of several samples
// in one step the last is kept.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "quantity/quantity.h"

namespace rankscope::service {

// Those that are taken.
std::span<const quantity::Quantity* const> HostQuantities();

struct HostSample {
  std::int64_t unix_ms = 0;  // by this server's clock
  std::int64_t device = -1;  // -1: of the host
  std::string name;
  double value = 0;
};

// `low` and `high` are the extremes of each point; NaN: unknown.
struct HostSeries {
  std::string_view name, unit;
  std::int64_t device = -1;
  std::vector<float> low, high;
};

struct HostMetricNumbers {
  std::uint64_t series = 0, bytes = 0;  // that are kept
  std::uint64_t taken = 0, refused = 0;
};

// Safe for many threads.
class HostMetrics {
 public:
  static constexpr std::int64_t kStepMs = 5000;
  static constexpr std::int64_t kSteps = 720;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  static constexpr std::int64_t kMostDevices = 256;

  // Refused are other names, numbers that are none, times that are not within the hour, and series
  // beyond kMostBytes.
  void Take(const std::string& host, std::span<const HostSample> samples, std::int64_t now_ms);

  // Of one name, or (empty) all, in up to `points` points of equal length; the last ends with the
  // step of `now_ms`. `step_ms` is set to a point's length, `begin_ms` to where the first begins.
  std::vector<HostSeries> Of(const std::string& host, std::string_view name, std::int64_t points,
                             std::int64_t now_ms, std::int64_t& begin_ms,
                             std::int64_t& step_ms) const;

  // What is kept of a host: it is another one now.
  void Drop(const std::string& host);

  HostMetricNumbers numbers() const;

 private:
  struct Ring {
    std::int64_t newest = 0;    // step
    std::vector<float> values;  // kSteps, that of step i at i % kSteps
  };
  using Key = std::tuple<std::string, std::size_t, std::int64_t>;  // host, name, device

  bool TakeOne(const std::string& host, const HostSample& sample, std::int64_t now_ms);
  void Forget(std::int64_t now_step);

  mutable std::mutex mutex_;
  std::map<Key, Ring> rings_;
  std::int64_t forgot_step_ = 0;
  std::uint64_t taken_ = 0, refused_ = 0;
};

void AppendHostMetricNumbers(std::string& out, const HostMetricNumbers& numbers);

}  // namespace rankscope::service
