// The line of a host thread's time by the innermost row that is open: the one that began last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// Calls visit(begin, end, row) for all time from INT64_MIN to INT64_MAX in order, kNoRow where no
// row is open. Linear in the rows of the thread.
template <typename Visit>
void ForEachInnermost(const RankTrace& trace, std::uint32_t track, const Visit& visit) {
  const Track& thread = trace.tracks[track];
  std::vector<Row> open;
  std::int64_t told = INT64_MIN;
  const auto tell = [&](std::int64_t until, Row row) {
    if (told < until) visit(told, until, row);
    told = std::max(told, until);
  };
  const auto advance = [&](std::int64_t t) {
    while (!open.empty() && trace.end_ns(open.back()) <= t) {
      tell(trace.end_ns(open.back()), open.back());
      open.pop_back();
    }
    tell(t, open.empty() ? kNoRow : open.back());
  };
  for (Row row = thread.begin; row < thread.end; ++row) {
    if (trace.dur_ns[row] <= 0) continue;
    advance(trace.ts_ns[row]);
    open.push_back(row);
  }
  advance(INT64_MAX);
}

}  // namespace rankscope
