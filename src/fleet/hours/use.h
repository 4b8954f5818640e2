// How much of the time devices were busy, as a monitoring system recorded it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::fleet {

inline constexpr std::int64_t kWhole = 1'000'000;  // of the time: in millionths

// A device's samples in the order of time, or those of the mean of a node's devices.
struct UseSeries {
  struct Sample {
    std::int64_t at_ms = 0;
    std::int64_t busy = 0;  // of the time before it, 0 to kWhole
  };
  std::string node;
  bool is_of_node = false;
  std::vector<Sample> samples;
};

// Sums over any time in O(log samples) for each series. A sample says how it was since the one
// before it, as counters and averages over the last minutes do, and for no longer than two of the
// series' usual distances (the median): what lies before is not known.
class NodeUse {
 public:
  void Add(const UseSeries& series);

  // Over the node's devices: known device time, and how much of it they were busy. What more series
  // than devices say is brought down to those that there are.
  struct Sum {
    std::int64_t known_ms = 0;
    std::int64_t busy_us = 0;
  };
  Sum In(std::int64_t from_ms, std::int64_t until_ms, std::int64_t devices) const;

 private:
  // Of a series: [begin, end) is known, with what came before it.
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
