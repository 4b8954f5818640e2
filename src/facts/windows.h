// Windows: how an analysis divides the time of a capture.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "table/table.h"
#include "trace/step_filter.h"
#include "trace/trace.h"

namespace rankscope {

struct Window {
  std::optional<std::int64_t> step;  // nullopt = the time outside of all steps
  // One for a step; outside is what is left of the capture, possibly in pieces.
  IntervalSet intervals;
  bool inferred = false;
  bool complete = true;

  Value StepValue() const { return step ? Value(*step) : Value(kNull); }
  std::int64_t Duration() const { return Total(intervals); }
  // What of the set lies in the window, in ns.
  std::int64_t TotalOf(const IntervalSet& set) const;
};

// Partition of [trace.begin_ns, trace.finish_ns): a window per step, and behind them one for the
// rest unless it is empty. With a filter only the wanted steps.
class Windows {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  Windows(const RankTrace& trace, const StepFilter& steps);
  std::size_t size() const { return windows_.size(); }
  const Window& operator[](std::size_t i) const { return windows_[i]; }
  auto begin() const { return windows_.begin(); }
  auto end() const { return windows_.end(); }
  // Index of the window that holds time t; kNone when it is not wanted, or there is no window at
  // all. O(log steps), O(1) when t lies in the step of the last call.
  std::size_t At(std::int64_t t) const;

 private:
  const RankTrace& trace_;
  std::vector<Window> windows_;
  std::vector<std::size_t> of_step_;  // window of each of the trace's steps, or kNone
  std::size_t outside_ = kNone;       // window of what lies in no step
  mutable std::size_t last_step_ = kNone;
};

}  // namespace rankscope
