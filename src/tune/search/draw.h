// Random draws as functions of their purpose: a search that is resumed draws the same numbers.
#pragma once

#include <cstdint>

namespace rankscope::tune {

// 64 bits from a key and a number (the finaliser of SplitMix64, twice).
constexpr std::uint64_t Draw(std::uint64_t key, std::uint64_t number) {
  const auto mix = [](std::uint64_t value) {
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  };
  return mix(mix(key) ^ number);
}

// In [0, 1).
constexpr double Uniform(std::uint64_t draw) { return static_cast<double>(draw >> 11) * 0x1.0p-53; }

}  // namespace rankscope::tune
