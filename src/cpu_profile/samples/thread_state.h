// The scheduler's view of a thread: whether it runs, or what it waits for.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace rankscope::cpu_profile {

enum class ThreadState : unsigned char {
  kRunning,   // or ready to run
  kSleeping,  // waits for an event: a lock, a timer, a socket
  kWaiting,   // uninterruptible: usually waits for a disk or a network file system
  kOther,     // stopped, traced, gone, or unknown
};

// Parses /proc/PID/task/TID/stat.
ThreadState ParseThreadState(std::string_view stat);
// State of a thread by its ids here. Reads one small file of /proc: 3 us.
ThreadState StateOf(pid_t pid, pid_t thread);

// The innermost "function" of a thread that does not run: "(sleeping)", "(waiting for a disk)"; ""
// in other states.
std::string_view FrameOf(ThreadState state);

}  // namespace rankscope::cpu_profile
