// Reads files of /proc: they do not state their size, and may be long.
#pragma once

#include <cstddef>
#include <string>

namespace rankscope::cpu_profile {

// Up to `most_bytes` of it; empty: not readable. Does not block, and does not follow a final link.
std::string ReadProcText(const std::string& path, std::size_t most_bytes);

}  // namespace rankscope::cpu_profile
