// Sums that stop at the largest number: a damaged trace may state a duration of a century a
// thousand times, and overflow of signed integers is undefined.
#pragma once

#include <cstdint>
#include <limits>

namespace rankscope {

inline std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

inline std::int64_t SaturatingSubtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

inline void AddSaturating(std::int64_t& sum, std::int64_t value) {
  sum = SaturatingAdd(sum, value);
}

}  // namespace rankscope
