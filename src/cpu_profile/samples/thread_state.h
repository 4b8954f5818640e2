// What the kernel's scheduler says of a thread: whether it runs or what it waits for.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace rankscope::cpu_profile {

enum class ThreadState : unsigned char {
  kRunning,   // or ready to
  kSleeping,  // until something happens: a lock, a timer, a socket
  kWaiting,   // uninterruptible: for a disk or a network file system, as a rule
  kOther,     // stopped, traced, gone, or not known
};

// Of the text of /proc/PID/task/TID/stat.
ThreadState ParseThreadState(std::string_view stat);
// Of a thread by its numbers here. One small file of /proc: 3 us.
ThreadState StateOf(pid_t pid, pid_t thread);

// The innermost "function" of a thread that does not run: "(sleeping)", "(waiting for a disk)"; ""
// of others.
std::string_view FrameOf(ThreadState state);

}  // namespace rankscope::cpu_profile
