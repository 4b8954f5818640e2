#include "cpu_profile/samples/thread_state.h"

#include <fmt/core.h>

#include "cpu_profile/image/proc_text.h"

namespace rankscope::cpu_profile {

ThreadState ParseThreadState(std::string_view stat) {
  // "12 (NAME) S 1 ...": a name may have brackets and blanks.
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return ThreadState::kOther;
  switch (stat[name_end + 2]) {
    case 'R':
      return ThreadState::kRunning;
    case 'S':
      return ThreadState::kSleeping;
    case 'D':
      return ThreadState::kWaiting;
    default:
      return ThreadState::kOther;
  }
}

ThreadState StateOf(pid_t pid, pid_t thread) {
  return ParseThreadState(ReadProcText(fmt::format("/proc/{}/task/{}/stat", pid, thread), 4096));
}

std::string_view FrameOf(ThreadState state) {
  switch (state) {
    case ThreadState::kSleeping:
      return "(sleeping)";
    case ThreadState::kWaiting:
      return "(waiting for a disk)";
    default:
      return "";
  }
}

}  // namespace rankscope::cpu_profile
