#include "base/interval.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {
namespace {

// Adds an interval that begins at or after every interval already in the set.
void AppendMerged(IntervalSet& set, Interval interval) {
  if (interval.begin >= interval.end) return;
  if (!set.empty() && interval.begin <= set.back().end) {
    set.back().end = std::max(set.back().end, interval.end);
  } else {
    set.push_back(interval);
  }
}

}  // namespace

IntervalSet Normalise(std::vector<Interval> intervals) {
  const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_begin)) {
    std::sort(intervals.begin(), intervals.end(), by_begin);
  }
  IntervalSet set;
  for (const Interval& interval : intervals) AppendMerged(set, interval);
  return set;
}

IntervalSet Unite(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet set;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    AppendMerged(set, take_a ? a[i++] : b[j++]);
  }
  return set;
}

IntervalSet Intersect(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet set;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    AppendMerged(set, {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return set;
}

IntervalSet Subtract(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet set;
  std::size_t j = 0;
  for (const Interval& whole : a) {
    std::int64_t from = whole.begin;
    while (j < b.size() && b[j].end <= from) ++j;
    for (std::size_t k = j; k < b.size() && b[k].begin < whole.end; ++k) {
      AppendMerged(set, {from, std::min(b[k].begin, whole.end)});
      from = std::max(from, b[k].end);
    }
    AppendMerged(set, {from, whole.end});
  }
  return set;
}

IntervalSet Clip(std::span<const Interval> set, Interval window) {
  auto first = std::partition_point(set.begin(), set.end(),
                                    [&](const Interval& i) { return i.end <= window.begin; });
  IntervalSet clipped;
  for (; first != set.end() && first->begin < window.end; ++first) {
    AppendMerged(clipped, {std::max(first->begin, window.begin), std::min(first->end, window.end)});
  }
  return clipped;
}

std::int64_t Total(std::span<const Interval> set) {
  std::int64_t total = 0;
  for (const Interval& interval : set)
    AddSaturating(total, SaturatingSubtract(interval.end, interval.begin));
  return total;
}

}  // namespace rankscope
