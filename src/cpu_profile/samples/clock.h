// Clocks of samples.
#pragma once

#include <ctime>

#include <cstdint>

namespace rankscope::cpu_profile {

inline std::int64_t NanosecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline std::int64_t UnixNow() { return NanosecondsOf(CLOCK_REALTIME); }
// CPU time of the calling thread.
inline std::int64_t ThreadTime() { return NanosecondsOf(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace rankscope::cpu_profile
