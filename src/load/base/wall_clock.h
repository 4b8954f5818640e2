// The wall clock, used for timestamps of requests and scrapes.
#pragma once

#include <chrono>
#include <cstdint>

namespace rankscope::load {

// Nanoseconds since 1970.
inline std::int64_t WallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace rankscope::load
