#include "facts/windows.h"

namespace rankscope {

std::int64_t Window::TotalOf(const IntervalSet& set) const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals) total += Total(Clip(set, interval));
  return total;
}

Windows::Windows(const RankTrace& trace, const StepFilter& steps) : trace_(trace) {
  IntervalSet inside;
  of_step_.reserve(trace.steps.size());
  for (const Step& step : trace.steps) {
    inside.push_back({step.begin_ns, step.end_ns});
    const bool is_wanted = Wants(steps, step.number);
    of_step_.push_back(is_wanted ? windows_.size() : kNone);
    if (!is_wanted) continue;
    windows_.push_back(
        {step.number, {{step.begin_ns, step.end_ns}}, step.inferred != 0, step.complete != 0});
  }
  if (steps) return;
  const Interval whole{trace.begin_ns, trace.finish_ns};
  IntervalSet outside = Subtract(Normalise({whole}), Normalise(inside));
  if (outside.empty()) {
    // What begins at the very end of the recording belongs to its last step.
    if (!windows_.empty()) outside_ = windows_.size() - 1;
    return;
  }
  outside_ = windows_.size();
  windows_.push_back({std::nullopt, std::move(outside), false, true});
}

std::size_t Windows::At(std::int64_t t) const {
  if (last_step_ != kNone) {
    const Step& step = trace_.steps[last_step_];
    if (t >= step.begin_ns && t < step.end_ns) return of_step_[last_step_];
  }
  const int found = trace_.StepAt(t);
  if (found < 0) return outside_;
  last_step_ = static_cast<std::size_t>(found);
  return of_step_[last_step_];
}

}  // namespace rankscope
