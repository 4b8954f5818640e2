// Files of /proc: they state no size, and may be long.
#pragma once

#include <cstddef>
#include <string>

namespace rankscope::cpu_profile {

// Up to `most_bytes` of it; empty: it cannot be read. Neither waits nor follows a link at its end.
std::string ReadProcText(const std::string& path, std::size_t most_bytes);

}  // namespace rankscope::cpu_profile
