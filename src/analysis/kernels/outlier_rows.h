// Single kernels and copies that took far longer than similar ones.
#pragma once

#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

struct OutlierRow {
  Row row = kNoRow;
  double median_ns = 0;  // of its like
};

// Works are similar if they have the same device, name, launch shape (grid and block; bytes of a
// copy) and, where recorded, input shapes of the op that launched them: one kernel serves layers of
// many sizes. An outlier is longer than the upper quartile + 3 interquartile ranges of similar
// works (Tukey's outer fence) and longer than 1.5 times their median, because the fence means
// nothing for durations that hardly vary. In the order of the device's work, over what begins in
// one of the windows. O(work log work).
std::vector<OutlierRow> FindOutliers(const TraceFacts& facts, const Windows& windows);
inline constexpr const char* kOutlierText =
    "longer than the upper quartile + 3 interquartile ranges (Tukey's outer fence) and than 1.5 "
    "times the median of its like: the work of the rank on the same device with the same name and "
    "launch shape (grid and block) or bytes, launched by an op with the same input shapes where "
    "these are recorded";

}  // namespace rankscope
