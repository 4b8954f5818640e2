// Limits of a session.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "mcp/protocol_version.h"

namespace rankscope::mcp {

struct SessionOptions {
  std::string program_version;
  std::chrono::seconds time_limit{120};  // of a call, from its arrival
  std::size_t most_calls = 64;           // waiting or running
  std::size_t most_line_bytes = 1 << 20;
  // version if every request states it; nullopt: negotiated by initialize
  std::optional<ProtocolVersion> spoken = {};
};

}  // namespace rankscope::mcp
