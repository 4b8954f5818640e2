// Why the last system call of this thread failed.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

namespace rankscope {

inline std::string ErrnoText() { return std::strerror(errno); }

}  // namespace rankscope
