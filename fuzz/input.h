// What a fuzz target gets: two bytes that choose options, then the data. And the way to fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

// Ends the process, which the fuzzer reports with the input, when a promise is broken.
#define FUZZ_CHECK(condition) RS_CHECK(condition, "a promise is broken")

namespace rankscope::fuzz {

inline constexpr std::size_t kOptionBytes = 2;

struct Input {
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  std::string_view data;
};

inline Input Split(const std::uint8_t* bytes, std::size_t size) {
  if (size < kOptionBytes) return {};
  return {bytes[0],
          bytes[1],
          {reinterpret_cast<const char*>(bytes) + kOptionBytes, size - kOptionBytes}};
}

}  // namespace rankscope::fuzz
