// Samples as events of a Chrome trace: frames over time, so that they become rows of the time line
// in every viewer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cpu_profile/samples/profile.h"

namespace rankscope::cpu_profile {

// The clock of the trace that gets the events.
struct TraceClock {
  std::int64_t base_ns = 0;  // baseTimeNanoseconds: the zero of its times
  // The recorded interval, on the clock of the samples; samples outside are left out.
  std::int64_t begin_ns = INT64_MIN;
  std::int64_t end_ns = INT64_MAX;
};

// What the trace says of its times in its first and last bytes: `baseTimeNanoseconds`, and the
// window that Kineto marks at the end ("Record Window End", and the profiler's span).
TraceClock ClockOfTrace(std::string_view head, std::string_view tail);

// `{"ph":"X","cat":"cpu_sample",...},` for each run of a frame; every event ends with a comma. A
// thread's lane is a text, "cpu 1234 NAME (python)": with a number the events would be mixed with
// the thread's own rows. `pid` is the process's number in the trace.
std::string TraceEvents(const Profile& profile, std::int64_t pid, const TraceClock& clock);

}  // namespace rankscope::cpu_profile
