#include "analysis/windows.h"

namespace rankscope {

std::vector<Window> WindowsOf(const RankTrace& trace, const StepFilter& steps) {
  std::vector<Window> windows;
  IntervalSet inside;
  for (const Step& step : trace.steps) {
    inside.push_back({step.begin_ns, step.end_ns});
    if (!Wants(steps, step.number)) continue;
    windows.push_back(
        {step.number, {{step.begin_ns, step.end_ns}}, step.inferred != 0, step.complete != 0});
  }
  if (steps) return windows;
  const Interval whole{trace.begin_ns, trace.finish_ns};
  IntervalSet outside = Subtract(Normalise({whole}), Normalise(inside));
  if (!outside.empty()) windows.push_back({std::nullopt, std::move(outside), false, true});
  return windows;
}

}  // namespace rankscope
