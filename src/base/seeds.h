// The number of random inputs in a soak: a few in unit tests, many in ./dev bench seeds. For tests
// only.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace rankscope {

// RANKSCOPE_SEEDS if the environment sets it, else `usual`.
inline std::uint64_t Seeds(std::uint64_t usual) {
  const char* const asked = std::getenv("RANKSCOPE_SEEDS");
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace rankscope
