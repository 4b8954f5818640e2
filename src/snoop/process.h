// Clocks in ns, and the command line of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <string>

namespace rankscope::snoop {

inline std::int64_t ClockNow(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Its words, separated by spaces, at most 4 KiB; empty: cannot be read.
std::string CommandOf(pid_t pid);

}  // namespace rankscope::snoop
