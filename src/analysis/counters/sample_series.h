// Counters that are sampled over time (ph C), as Kineto writes CUPTI's PM sampling.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct Sample {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double value = 0;
};

// One counter of a device. A sample holds until the next one, but at most for twice the median
// distance of samples: nothing is known where samples are missing. The last sample holds for the
// median distance.
class SampleSeries {
 public:
  // Samples by begin; their ends are set here.
  explicit SampleSeries(std::vector<Sample> samples);

  std::span<const Sample> samples() const { return samples_; }

  // Over [begin, end): the time that samples cover, and the integral of value over ns. O(log n).
  struct Covered {
    std::int64_t ns = 0;
    double integral = 0;
  };
  Covered Over(std::int64_t begin, std::int64_t end) const;

 private:
  Covered Until(std::int64_t t) const;

  std::vector<Sample> samples_;
  std::vector<Covered> before_;  // each sample
};

// Of every device (the event's pid) by name of its events and counter.
using SeriesKey = std::tuple<std::int64_t, StringId, StringId>;
std::map<SeriesKey, SampleSeries> SeriesOf(const RankTrace& trace);

}  // namespace rankscope
