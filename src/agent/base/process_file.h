// Files of /proc/PID that only the process's own user may open (environ, io). CAP_SYS_PTRACE alone
// does not open them: their mode is 0400, which takes CAP_DAC_READ_SEARCH, or being that user.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::agent {

// Reads `root`/proc/PID/NAME, up to `most` bytes, as ReadSmallFile. If that is refused, it reads as
// the process's user (ActingAs), if this process may act as others. That costs a read or two more.
Result<std::string> ReadProcessFile(const std::string& root, pid_t pid, std::string_view name,
                                    std::size_t most = std::size_t{1} << 20);

}  // namespace rankscope::agent
