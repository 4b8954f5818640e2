// Calls of the device's API that put work on a stream.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct LaunchCall {
  Row call = kNoRow;
  Row first_work = kNoRow;    // the work that begins first; kNoRow when none was recorded
  std::int64_t works = 0;     // a graph launch has many
  std::int64_t work_ns = 0;   // sum of their durations
  std::int64_t delay_ns = 0;  // from the call's return to the begin of its first work, >= 0
  // The part of the delay after the end of all earlier work of that stream, which the queue does
  // not explain.
  std::int64_t free_delay_ns = 0;
};

// The calls that launched recorded work or are launch calls by name, in the order of their rows.
std::vector<LaunchCall> LaunchCallsOf(const RankTrace& trace);

}  // namespace rankscope
