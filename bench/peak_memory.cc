#include "peak_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope::bench {
namespace {

std::int64_t PeakOfChild(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return usage.ru_maxrss * std::int64_t{1024};
}

}  // namespace

std::int64_t PeakBytes(const std::function<bool()>& work) {
  const std::int64_t empty = PeakOfChild([] { return true; });
  const std::int64_t full = PeakOfChild(work);
  return empty < 0 || full < 0 ? -1 : full - empty;
}

}  // namespace rankscope::bench
