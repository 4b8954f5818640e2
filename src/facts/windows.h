// Windows: the division of a capture's time for an analysis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "table/table.h"
#include "trace/step_filter.h"
#include "trace/trace.h"

namespace rankscope {

struct Window {
  std::optional<std::int64_t> step;  // nullopt = the time outside of all steps
  // One interval for a step; the time outside is the rest of the capture, possibly in pieces. None
  // for a step with work on a device but no time of its own there: all of it ran during an earlier
  // step's work, or does not matter.
  IntervalSet intervals;
  bool inferred = false;
  bool complete = true;

  Value StepValue() const { return step ? Value(*step) : Value(kNull); }
  bool HasExtent() const { return !intervals.empty(); }
  std::int64_t Duration() const { return Total(intervals); }
  // The part of the set in the window, in ns.
  std::int64_t TotalOf(const IntervalSet& set) const;
};

// Partition of [trace.begin_ns, trace.finish_ns): a window per step, followed by one for the rest
// unless it is empty. With a filter only the selected steps. Immutable: any number of threads may
// use it.
class Windows {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The host's windows: a step is from its mark to the next. For host threads.
  static Windows OfHost(const TraceFacts& facts, const StepFilter& steps);
  // A device's windows (facts/device_steps.h), for its work. Steps without its work have none.
  static Windows OfDevice(const TraceFacts& facts, const DeviceTime& device,
                          const StepFilter& steps);
  // The rank's windows: each step ends with its latest device.
  static Windows OfRank(const TraceFacts& facts, const StepFilter& steps);
  // The rank's and a device's windows of a step are complete as those of DeviceSteps are; the
  // host's where the rank's is, so that all tables leave out the same steps.

  std::size_t size() const { return windows_.size(); }
  const Window& operator[](std::size_t i) const { return windows_[i]; }
  auto begin() const { return windows_.begin(); }
  auto end() const { return windows_.end(); }
  // Index of the window that contains time t; kNone if it is not selected, or if there is no
  // window. O(log steps).
  std::size_t At(std::int64_t t) const;
  // The window of the step that launched device work, or in which a call begins: counts belong to
  // it, wherever the work runs.
  std::size_t OfWork(Row row) const { return OfStep((*launch_steps_)[row]); }
  // OfWork for device work; for any other row the window in which it begins.
  std::size_t OfRow(Row row) const {
    return IsDeviceWork(trace_->kind[row]) ? OfWork(row) : At(trace_->ts_ns[row]);
  }
  std::size_t OfCall(std::int64_t t) const { return OfStep(StepOfCall(*trace_, t)); }

 private:
  explicit Windows(const TraceFacts& facts);
  // By its index in trace.steps.
  std::size_t OfStep(std::int32_t step) const {
    if (step < 0) return before_;
    const auto index = static_cast<std::size_t>(step);
    return index < of_step_.size() ? of_step_[index] : outside_;
  }
  void AddSteps(const DeviceSteps& device, const std::vector<bool>& has_work,
                const StepFilter& steps);
  void Add(std::size_t step, Interval window, bool complete, const StepFilter& steps);
  void AddOutside(const StepFilter& steps);

  const RankTrace* trace_;
  const std::vector<std::int32_t>* launch_steps_;  // TraceFacts::launch_steps
  std::vector<Window> windows_;
  std::vector<Interval> steps_;       // of the trace's steps that have a window, wanted or not
  std::vector<std::size_t> at_;       // window of each of those, or kNone
  std::vector<std::size_t> of_step_;  // window of each of the trace's steps, or kNone
  std::size_t outside_ = kNone;       // window of what lies in no step
  std::size_t before_ = kNone;        // the same of what was launched before the first
};

}  // namespace rankscope
