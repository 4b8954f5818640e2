#include "snoop/process.h"

#include <fmt/core.h>

#include <algorithm>

#include "cpu_profile/image/proc_text.h"

namespace rankscope::snoop {

std::string CommandOf(pid_t pid) {
  std::string words = cpu_profile::ReadProcText(fmt::format("/proc/{}/cmdline", pid), 4096);
  std::ranges::replace(words, '\0', ' ');
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

}  // namespace rankscope::snoop
