// The work of a host thread at a time, from the innermost open row and the ranges around it.
#pragma once

#include <functional>
#include <vector>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "replay/recording/node_partial.h"

namespace rankscope {

class HostWork {
 public:
  explicit HostWork(const TraceFacts& facts);

  // Starts a thread; later calls are in order of time.
  void Begin(std::uint32_t track);

  // Calls visit(part, work) for the parts of a stretch in which `row` (or kNoRow) is the innermost
  // row. Amortised O(1).
  template <typename Visit>
  void Divide(Interval stretch, Row row, const Visit& visit) {
    const Work inside = row == kNoRow ? Work::kPython : by_row_[row];
    // Calls keep their kind inside a data loader: a copy stays a copy.
    if (inside != Work::kOp && inside != Work::kPython) {
      visit(stretch, inside);
      return;
    }
    const IntervalSet& loading = facts_.host().data_loading(track_);
    while (next_ < loading.size() && loading[next_].end <= stretch.begin) ++next_;
    std::int64_t until = stretch.begin;
    for (std::size_t i = next_; i < loading.size() && loading[i].begin < stretch.end; ++i) {
      const std::int64_t begin = std::max(until, loading[i].begin);
      const std::int64_t end = std::min(stretch.end, loading[i].end);
      if (until < begin) visit(Interval{until, begin}, inside);
      if (begin < end) visit(Interval{begin, end}, Work::kDataLoading);
      until = std::max(until, end);
    }
    if (until < stretch.end) visit(Interval{until, stretch.end}, inside);
  }

 private:
  const TraceFacts& facts_;
  std::vector<Work> by_row_;  // host rows
  std::uint32_t track_ = 0;
  std::size_t next_ = 0;
};

// The work of a host row, by its kind and name only; kPython if these do not show it.
Work WorkOfHostRow(EventKind kind, std::string_view name);

}  // namespace rankscope
