// How many random inputs a soak goes through: a few in unit tests, many by ./dev bench seeds. For
// tests alone.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace rankscope {

// RANKSCOPE_SEEDS where the environment has it, else `usual`.
inline std::uint64_t Seeds(std::uint64_t usual) {
  const char* const asked = std::getenv("RANKSCOPE_SEEDS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace rankscope
