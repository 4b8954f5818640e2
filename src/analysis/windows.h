// Windows: how an analysis divides the time of a capture.
#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "base/interval.h"

namespace rankscope {

struct Window {
  std::optional<std::int64_t> step;  // nullopt = the time outside of all steps
  IntervalSet
      intervals;  // one for a step; outside is what is left of the capture, possibly in pieces
  bool inferred = false;
  bool complete = true;
};

// Partition of [trace.begin_ns, trace.finish_ns): a window per step, and one for the rest unless it
// is empty. With a filter only the wanted steps.
std::vector<Window> WindowsOf(const RankTrace& trace, const StepFilter& steps);

}  // namespace rankscope
