// Samples as events of a Chrome trace: frames over time, so that they are rows of the time line
// wherever such a trace is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

// Of the trace that the events are to go into.
struct TraceClock {
  std::int64_t base_ns = 0;  // baseTimeNanoseconds: what its times count from
  // What was recorded, by the same clock as samples; samples around it are left out.
  std::int64_t begin_ns = INT64_MIN;
  std::int64_t end_ns = INT64_MAX;
};

// The trace's own words on its times, in its first and last bytes: `baseTimeNanoseconds`, and the
// window that Kineto marks at the end ("Record Window End", and the profiler's span).
TraceClock ClockOfTrace(std::string_view head, std::string_view tail);

// `{"ph":"X","cat":"cpu_sample",...},` for each run of a frame; every event ends in a comma. The
// lane of a thread is a text, "cpu 1234 NAME (python)": a number would be the thread itself, whose
// rows they would be between. `pid` is the process's number in the trace.
std::string TraceEvents(const Profile& profile, std::int64_t pid, const TraceClock& clock);

}  // namespace rankscope::cpu_profile
