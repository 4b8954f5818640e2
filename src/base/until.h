// Tests wait for a condition, never for a fixed time, so they do not depend on the machine's speed.
// For tests only.
#pragma once

#include <chrono>
#include <thread>

namespace rankscope {

// The common limit of all waits, for conditions that never come true.
constexpr std::chrono::milliseconds kTestLimit{300'000};

// Whether the condition came true. Checks every millisecond.
template <typename Condition>
bool Until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kTestLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace rankscope
