// Lengths of time as tests write them, in nanoseconds.
#pragma once

#include <cstdint>

namespace rankscope {

inline constexpr std::int64_t kUs = 1000;
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kS = 1'000'000'000;

}  // namespace rankscope
