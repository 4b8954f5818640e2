// Clocks in ns, and what a process is called.
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

// Its words with spaces between them, at most 4 KiB; empty: it cannot be read.
std::string CommandOf(pid_t pid);

}  // namespace rankscope::snoop
