// Links clocks by sends and receives where collectives do not link them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/clock_fit.h"

namespace rankscope {

// Converts a time of the clock to its reference.
std::int64_t ByClock(const RankClock& clock, std::int64_t origin, std::int64_t t);

// A bound on the difference of two clocks at a time relative to the origin.
struct ClockBound {
  double at_ns = 0;
  double difference_ns = 0;
};

// The line of slope 0, or if that violates bounds, of the slope up to 200 ppm that satisfies them
// best, in the middle between `upper` and `lower` bounds; and half of their distance.
struct BoundedLine {
  double offset = 0;
  double slope = 0;
  double half_width = 0;  // negative: no line keeps all bounds
};
// Neither is empty. O(bounds).
BoundedLine LineBetween(std::span<const ClockBound> lower, std::span<const ClockBound> upper);

// Sets reference, offset, drift, link_ns and uncertainty of ranks linked by messages, in order of
// the distance of their bounds.
void LinkBySends(std::span<const ClockMessage> messages, std::int64_t origin,
                 std::vector<RankClock>& clocks);

}  // namespace rankscope
