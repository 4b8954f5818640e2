// The share of time that devices were busy, as a monitoring system recorded it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::fleet {

inline constexpr std::int64_t kWhole = 1'000'000;  // 100 % of the time, in millionths

// A device's samples in time order, or samples of the mean over a node's devices.
struct UseSeries {
  struct Sample {
    std::int64_t at_ms = 0;
    std::int64_t busy = 0;  // share of the time before it, 0 to kWhole
  };
  std::string node;
  bool is_of_node = false;
  std::vector<Sample> samples;
};

// Sums over any period in O(log samples) per series. A sample describes the time since the previous
// sample, as counters and averages over the last minutes do, but at most two of the series' usual
// intervals (the median) or 24 hours. The time before that is unknown.
class NodeUse {
 public:
  void Add(const UseSeries& series);

  // Over the node's devices: known device time, and the busy part of it. If there are more series
  // than devices, both are scaled down to the number of devices.
  struct Sum {
    std::int64_t known_ms = 0;
    std::int64_t busy_us = 0;
  };
  Sum In(std::int64_t from_ms, std::int64_t until_ms, std::int64_t devices) const;

 private:
  // For a series: [begin, end) is known; also sums of the steps before it.
  struct Step {
    std::int64_t begin_ms = 0, end_ms = 0;
    std::int64_t busy = 0;
    std::int64_t known_before = 0, busy_before = 0;
  };
  struct Steps {
    bool is_of_node = false;
    std::vector<Step> steps;
  };
  struct Before {
    std::int64_t known_ms = 0, busy = 0;
  };
  static Before Until(const std::vector<Step>& steps, std::int64_t at_ms);

  std::vector<Steps> series_;
};

}  // namespace rankscope::fleet
