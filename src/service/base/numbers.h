// Metrics of the server itself, for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"

namespace rankscope::service {

// So the note of a reply begins that could not be given since what is kept is damaged (also
// http/connection.cc, of a file).
inline constexpr std::string_view kDamagedNote = "damaged: ";

// Safe for many threads.
class Numbers {
 public:
  // `route` is a pattern, so names in paths do not create series.
  void Count(std::string_view route, const http::Served& served);

  // In Prometheus' text format.
  std::string Text() const;

 private:
  // Upper ends of the buckets of durations, in nanoseconds.
  static constexpr std::array<std::int64_t, 9> kEnds = {
      1'000'000,     5'000'000,     20'000'000,     100'000'000,    500'000'000,
      1'000'000'000, 5'000'000'000, 20'000'000'000, 100'000'000'000};
  struct OfRoute {
    std::map<int, std::uint64_t> by_status;
    std::array<std::uint64_t, kEnds.size() + 1> buckets{};
    std::int64_t sum_ns = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, OfRoute, std::less<>> routes_;
  std::uint64_t received_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  // Requests for which there was no room: beyond a limit (429), or on a full disk (507).
  std::uint64_t beyond_limits_ = 0;
  std::uint64_t without_disk_ = 0;
  std::uint64_t damaged_ = 0;
};

// "# HELP", "# TYPE" and one value, or one that has labels.
void AppendMetric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, double value);
// One for each value of a label.
void AppendMetrics(std::string& out, std::string_view name, std::string_view type,
                   std::string_view help, std::string_view label,
                   const std::vector<std::pair<std::string, double>>& values);

}  // namespace rankscope::service
