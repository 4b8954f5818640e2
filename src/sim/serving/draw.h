// Distributions drawn from the counters of sim/model/jitter.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "sim/model/jitter.h"

namespace rankscope::sim {

// Uniform in (0, 1], with 53 bits.
inline double Uniform(std::uint64_t draw) {
  return static_cast<double>((draw >> 11) + 1) * 0x1.0p-53;
}

// Mean 0 and variance 1, by Box-Muller; uses the draws of `key` and `key` + 1.
inline double Normal(std::uint64_t key) {
  return std::sqrt(-2 * std::log(Uniform(Mix(key)))) *
         std::cos(2 * std::numbers::pi * Uniform(Mix(key + 1)));
}

}  // namespace rankscope::sim
