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

// CPU time, memory, threads and I/O of each, and how often and how long its main thread was off its
// core. The main thread launches a training process's kernels; /proc/PID does not give this for all
// threads without reading each. Ended processes are left out. The first kMostWatched.
inline constexpr std::size_t kMostWatched = 64;
Source ProcessSource(std::function<std::vector<WatchedProcess>()> which);

}  // namespace rankscope::agent
