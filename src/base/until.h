// How tests wait: until what they need is there, never for a time, so that none depends on how fast
// the machine is. For tests alone.
#pragma once

#include <chrono>
#include <thread>

namespace rankscope {

// The one limit of every wait: for what never comes.
constexpr std::chrono::milliseconds kTestLimit{300'000};

// Whether the condition came true. Asks it every millisecond.
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
