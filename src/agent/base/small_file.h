// Files of /proc and /sys, which have no size and may fail at any read.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace rankscope::agent {

// Up to `most` bytes; more is kResource. kNotFound when there is no such file, kIo otherwise.
Result<std::string> ReadSmallFile(const std::string& path, std::size_t most = std::size_t{4} << 20);

}  // namespace rankscope::agent
