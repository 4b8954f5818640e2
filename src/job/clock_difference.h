// How one clock differs from another, and how such differences follow one another.
#pragma once

#include <cstdint>

#include "base/saturating.h"

namespace rankscope {

// a - b in ns; a forged recording has times that no difference of whole numbers holds.
inline double Difference(std::int64_t a, std::int64_t b) {
  return static_cast<double>(SaturatingSubtract(a, b));
}

// Quartz is good to 100 ppm, so that two clocks drift apart by less: more is scatter.
inline constexpr double kMostDrift = 200e-6;

// A time x of the one clock is x - offset - slope x by the other.
struct ClockDifference {
  double offset = 0;  // ns
  double slope = 0;
};

// From a clock by `first` to another one, from that by `further`.
inline ClockDifference Joined(const ClockDifference& first, const ClockDifference& further) {
  return {first.offset + further.offset - further.slope * first.offset,
          first.slope + further.slope - further.slope * first.slope};
}

// The way back.
inline ClockDifference Reversed(const ClockDifference& there) {
  return {-there.offset / (1 - there.slope), -there.slope / (1 - there.slope)};
}

}  // namespace rankscope
