// The time, given by the caller: tests move it themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace rankscope::agent {

// By the steady clock and by the wall clock.
struct Now {
  std::int64_t steady_ms = 0;
  std::int64_t unix_us = 0;
  std::int64_t unix_ms() const { return unix_us / 1000; }
};
using Clock = std::function<Now()>;

Now NowOfHost();

// "2026-11-24T06:40:12Z".
std::string UtcText(std::int64_t unix_ms);

}  // namespace rankscope::agent
