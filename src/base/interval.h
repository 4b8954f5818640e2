// Sets of half-open time intervals [begin, end) in int64 nanoseconds, kept sorted, disjoint and
// non-touching.
//
// All operations are linear in the number of intervals. Unions never count a nanosecond twice, so
// for any sets
//   Total(a) + Total(b) == Total(Unite(a, b)) + Total(Intersect(a, b)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

using IntervalSet = std::vector<Interval>;

// Sorts and merges any intervals into a set; touching ones join, empty and inverted ones vanish.
// O(n log n), O(n) when sorted.
IntervalSet Normalise(std::vector<Interval> intervals);

IntervalSet Unite(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Intersect(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Subtract(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Clip(std::span<const Interval> set, Interval window);

// Summed length in nanoseconds, at most INT64_MAX.
std::int64_t Total(std::span<const Interval> set);

}  // namespace rankscope
