// Draws of distributions from the counters of sim/model/jitter.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "sim/model/jitter.h"

namespace rankscope::sim {

// Above 0, at most 1, of 53 bits.
inline double Uniform(std::uint64_t draw) {
  return static_cast<double>((draw >> 11) + 1) * 0x1.0p-53;
}

// Of mean 0 and variance 1, by Box and Muller; takes draws of `key` and `key` + 1.
inline double Normal(std::uint64_t key) {
  return std::sqrt(-2 * std::log(Uniform(Mix(key)))) *
         std::cos(2 * std::numbers::pi * Uniform(Mix(key + 1)));
}

}  // namespace rankscope::sim
