#include "facts/windows.h"

#include <algorithm>
#include <utility>

namespace rankscope {

std::int64_t Window::TotalOf(const IntervalSet& set) const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals) total += Total(Clip(set, interval));
  return total;
}

Windows::Windows(const TraceFacts& facts)
    : trace_(&facts.trace()), launch_steps_(&facts.launch_steps()) {}

Windows Windows::OfHost(const TraceFacts& facts, const StepFilter& steps) {
  Windows windows(facts);
  const RankTrace& trace = facts.trace();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    windows.Add(i, {trace.steps[i].begin_ns, trace.steps[i].end_ns},
                facts.rank_steps().steps[i].complete, steps);
  }
  windows.AddOutside(steps);
  return windows;
}

Windows Windows::OfDevice(const TraceFacts& facts, const DeviceTime& device,
                          const StepFilter& steps) {
  Windows windows(facts);
  std::vector<bool> has_work(device.steps.steps.size(), false);
  for (const std::int32_t step : device.steps.step_of_work) {
    if (step >= 0 && static_cast<std::size_t>(step) < has_work.size())
      has_work[static_cast<std::size_t>(step)] = true;
  }
  windows.AddSteps(device.steps, has_work, steps);
  return windows;
}

Windows Windows::OfRank(const TraceFacts& facts, const StepFilter& steps) {
  Windows windows(facts);
  windows.AddSteps(facts.rank_steps(), {}, steps);
  return windows;
}

void Windows::AddSteps(const DeviceSteps& device, const std::vector<bool>& has_work,
                       const StepFilter& steps) {
  for (std::size_t i = 0; i < device.steps.size(); ++i) {
    const DeviceSteps::Span& step = device.steps[i];
    const Step& of = trace_->steps[i];
    if (device.follows_host || step.window.end > step.window.begin) {
      Add(i, step.window, step.complete, steps);
    } else if (!has_work.empty() && has_work[i] && Wants(steps, of.number)) {
      of_step_.push_back(windows_.size());
      windows_.push_back({of.number, {}, of.inferred != 0, false});
    } else {
      of_step_.push_back(kNone);
    }
  }
  AddOutside(steps);
}

void Windows::Add(std::size_t step, Interval window, bool complete, const StepFilter& steps) {
  of_step_.push_back(kNone);
  const Step& of = trace_->steps[step];
  if (Wants(steps, of.number)) {
    of_step_.back() = windows_.size();
    windows_.push_back({of.number, {window}, of.inferred != 0, complete});
  }
  steps_.push_back(window);
  at_.push_back(of_step_.back());
}

void Windows::AddOutside(const StepFilter& steps) {
  if (steps) return;
  const Interval whole{trace_->begin_ns, trace_->finish_ns};
  IntervalSet outside = Subtract(Normalise({whole}), Normalise(steps_));
  if (outside.empty()) {
    // What begins at the very end of the recording belongs to its last step.
    // What was launched before its first step, which fills it from its begin, runs in that.
    if (!windows_.empty()) {
      outside_ = windows_.size() - 1;
      before_ = 0;
    }
    return;
  }
  outside_ = before_ = windows_.size();
  windows_.push_back({std::nullopt, std::move(outside), false, true});
}

std::size_t Windows::At(std::int64_t t) const {
  const auto next = std::partition_point(steps_.begin(), steps_.end(),
                                         [t](const Interval& step) { return step.end <= t; });
  if (next == steps_.end() || t < next->begin) return outside_;
  return at_[static_cast<std::size_t>(next - steps_.begin())];
}

}  // namespace rankscope
