// The scheduled send times of the requests of an open level.
#pragma once

#include <cstdint>
#include <random>

#include "load/base/spec.h"

namespace rankscope::load {

// The same seed gives the same times. For a rate that changes linearly, the times of rate 1 are
// stretched by the inverse of the rate's integral, so that gaps keep their distribution.
class ArrivalProcess {
 public:
  ArrivalProcess(const LevelSpec& level, Arrivals arrivals, double variation, std::uint64_t seed);
  // The next time in ns since the level's begin, never before the previous one.
  std::int64_t Next();

 private:
  double Gap();

  const double from_per_s_, to_per_s_, seconds_;
  const Arrivals arrivals_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> exponential_{1.0};
  std::gamma_distribution<double> gamma_;
  double expected_ = 0;  // expected number of arrivals so far
};

}  // namespace rankscope::load
