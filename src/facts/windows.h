// Windows: how an analysis divides the time of a capture.
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
  // One for a step; outside is what is left of the capture, possibly in pieces. None for a step
  // that has work on a device without taking time of its own there: all of it ran while an earlier
  // step's did, or decides nothing.
  IntervalSet intervals;
  bool inferred = false;
  bool complete = true;

  Value StepValue() const { return step ? Value(*step) : Value(kNull); }
  bool HasExtent() const { return !intervals.empty(); }
  std::int64_t Duration() const { return Total(intervals); }
  // What of the set lies in the window, in ns.
  std::int64_t TotalOf(const IntervalSet& set) const;
};

// Partition of [trace.begin_ns, trace.finish_ns): a window per step, and behind them one for the
// rest unless it is empty. With a filter only the wanted steps. Immutable: any number of threads
// may ask.
class Windows {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The host's: a step reaches from its mark to the next. For what happens on host threads.
  static Windows OfHost(const TraceFacts& facts, const StepFilter& steps);
  // A device's (facts/device_steps.h): for what it does. Steps of which it did nothing have none.
  static Windows OfDevice(const TraceFacts& facts, const DeviceTime& device,
                          const StepFilter& steps);
  // The rank's: as long as its latest device takes for each step.
  static Windows OfRank(const TraceFacts& facts, const StepFilter& steps);
  // The rank's and a device's windows of a step are complete as those of DeviceSteps are; the
  // host's where the rank's is, so that all tables leave out the same steps.

  std::size_t size() const { return windows_.size(); }
  const Window& operator[](std::size_t i) const { return windows_[i]; }
  auto begin() const { return windows_.begin(); }
  auto end() const { return windows_.end(); }
  // Index of the window that holds time t; kNone when it is not wanted, or there is no window at
  // all. O(log steps).
  std::size_t At(std::int64_t t) const;
  // Of the step that launched device work, or in which a call begins: what is counted belongs to
  // it, wherever it runs.
  std::size_t OfWork(Row row) const { return OfStep((*launch_steps_)[row]); }
  // Of device work OfWork, of any other row the window in which it begins.
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
