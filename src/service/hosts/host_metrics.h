// HostMetrics: metrics of hosts and their devices over the last hour, from the samples that agents
// send with their reports. They are in memory only, so a restarted server begins with none.
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

// The accepted names.
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

  // Refuses other names, invalid numbers, times outside the hour, and series beyond kMostBytes.
  void Take(const std::string& host, std::span<const HostSample> samples, std::int64_t now_ms);

  // The series of one name, or (empty) of all, in up to `points` points of equal length. The last
  // point ends with the step of `now_ms`. `step_ms` is set to a point's length, `begin_ms` to the
  // begin of the first.
  std::vector<HostSeries> Of(const std::string& host, std::string_view name, std::int64_t points,
                             std::int64_t now_ms, std::int64_t& begin_ms,
                             std::int64_t& step_ms) const;

  // Forgets a host's data, because the name now belongs to another host.
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
