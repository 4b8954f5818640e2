// The timeline of a host thread by the innermost open row: the one that began last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

// The line of a thread's time from what is open when it begins.
class InnermostLine {
 public:
  InnermostLine(const RankTrace& trace, std::int64_t begin) : trace_(trace), told_(begin) {}

  void Open(Row row) { open_.push_back(row); }
  // Calls visit(begin, end, row) for the time not yet visited, up to t.
  template <typename Visit>
  void Advance(std::int64_t t, const Visit& visit) {
    while (!open_.empty() && trace_.end_ns(open_.back()) <= t) {
      Tell(trace_.end_ns(open_.back()), open_.back(), visit);
      open_.pop_back();
    }
    Tell(t, open_.empty() ? kNoRow : open_.back(), visit);
  }

 private:
  template <typename Visit>
  void Tell(std::int64_t until, Row row, const Visit& visit) {
    if (told_ < until) visit(told_, until, row);
    told_ = std::max(told_, until);
  }

  const RankTrace& trace_;
  std::int64_t told_;
  std::vector<Row> open_;
};

// Calls visit(begin, end, row) for all time from INT64_MIN to INT64_MAX in order, kNoRow where no
// row is open. Linear in the rows of the thread.
template <typename Visit>
void ForEachInnermost(const RankTrace& trace, std::uint32_t track, const Visit& visit) {
  const Track& thread = trace.tracks[track];
  InnermostLine line(trace, INT64_MIN);
  for (Row row = thread.begin; row < thread.end; ++row) {
    if (trace.dur_ns[row] <= 0) continue;
    line.Advance(trace.ts_ns[row], visit);
    line.Open(row);
  }
  line.Advance(INT64_MAX, visit);
}

// The same for the time in `part`; rows that began before it and enclose no row in it may be
// missed. O(log rows + rows in the part + depth).
template <typename Visit>
void ForEachInnermostIn(const RankTrace& trace, std::uint32_t track, Interval part,
                        const Visit& visit) {
  const Track& thread = trace.tracks[track];
  const auto first = trace.ts_ns.begin() + thread.begin;
  const auto last = trace.ts_ns.begin() + thread.end;
  const auto begin =
      static_cast<Row>(std::upper_bound(first, last, part.begin) - trace.ts_ns.begin());
  std::vector<Row> around;
  if (begin > thread.begin) {
    for (Row row = begin - 1; row != kNoRow; row = trace.parent[row]) {
      if (trace.dur_ns[row] > 0 && trace.end_ns(row) > part.begin) around.push_back(row);
    }
  }
  InnermostLine line(trace, part.begin);
  for (auto row = around.rbegin(); row != around.rend(); ++row) line.Open(*row);
  for (Row row = begin; row < thread.end && trace.ts_ns[row] < part.end; ++row) {
    if (trace.dur_ns[row] <= 0) continue;
    line.Advance(trace.ts_ns[row], visit);
    line.Open(row);
  }
  line.Advance(part.end, visit);
}

}  // namespace rankscope
