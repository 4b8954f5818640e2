// Single processes: those that use devices and those that train.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

struct WatchedProcess {
  pid_t pid = 0;
  Labels labels;  // of its readings, beside pid and command
};

// CPU time, memory, threads and I/O of each, and how often and how long its main thread, which
// launches a training process's kernels, was off its core: what /proc/PID tells of a whole process
// is not told of all its threads without reading each. Those that ended are left out. The first
// kMostWatched.
inline constexpr std::size_t kMostWatched = 64;
Source ProcessSource(std::function<std::vector<WatchedProcess>()> which);

}  // namespace rankscope::agent
