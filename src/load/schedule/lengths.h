// Draws the length of the next prompt or answer.
#pragma once

#include <cstdint>
#include <random>

#include "load/base/spec.h"

namespace rankscope::load {

// Log-normal with the mean and the coefficient of variation of `lengths`, at least 1 token.
class LengthSource {
 public:
  LengthSource(const Lengths& lengths, std::uint64_t seed);
  std::int32_t Next();

 private:
  const Lengths lengths_;
  std::mt19937_64 random_;
  std::lognormal_distribution<double> distribution_;
};

}  // namespace rankscope::load
