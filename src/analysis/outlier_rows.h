// Single kernels and copies that took far longer than their like.
#pragma once

#include <vector>

#include "analysis/trace_facts.h"
#include "analysis/windows.h"

namespace rankscope {

struct OutlierRow {
  Row row = kNoRow;
  double median_ns = 0;  // of its like
};

// Work is alike when device, name and launch shape (grid and block) are the same, or name and bytes
// of a copy: one kernel serves layers of many sizes. An outlier is longer than the upper quartile +
// 3 interquartile ranges of its like (Tukey's outer fence) and longer than 1.5 times their median:
// the fence of durations that hardly vary means nothing. In the order of the device's work, over
// what begins in one of the windows. O(work log work).
std::vector<OutlierRow> FindOutliers(const TraceFacts& facts, const Windows& windows);
inline constexpr const char* kOutlierText =
    "longer than the upper quartile + 3 interquartile ranges (Tukey's outer fence) and than 1.5 "
    "times the median of its like: the work of the rank on the same device with the same name and "
    "launch shape (grid and block), or bytes";

}  // namespace rankscope
