// The bounds of a session.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace rankscope::mcp {

struct SessionOptions {
  std::string program_version;
  std::chrono::seconds time_limit{120};  // of a call, from its arrival on
  std::size_t most_calls = 64;           // that wait or are under way
  std::size_t most_line_bytes = 1 << 20;
};

}  // namespace rankscope::mcp
