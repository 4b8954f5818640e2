// The difference between two clocks, and the composition of differences.
#pragma once

#include <cstdint>

#include "base/saturating.h"

namespace rankscope {

// a - b in ns; in a forged recording the integer difference may overflow.
inline double Difference(std::int64_t a, std::int64_t b) {
  return static_cast<double>(SaturatingSubtract(a, b));
}

// Quartz is accurate to 100 ppm, so two clocks drift apart by less than this; more is scatter.
inline constexpr double kMostDrift = 200e-6;

// A time x of one clock is x - offset - slope x on the other.
struct ClockDifference {
  double offset = 0;  // ns
  double slope = 0;
};

// Composition: from one clock by `first` to a second, and from there by `further`.
inline ClockDifference Joined(const ClockDifference& first, const ClockDifference& further) {
  return {first.offset + further.offset - further.slope * first.offset,
          first.slope + further.slope - further.slope * first.slope};
}

// The inverse.
inline ClockDifference Reversed(const ClockDifference& there) {
  return {-there.offset / (1 - there.slope), -there.slope / (1 - there.slope)};
}

}  // namespace rankscope
