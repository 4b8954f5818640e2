// When the requests of an open level are meant to come.
#pragma once

#include <cstdint>
#include <random>

#include "load/base/spec.h"

namespace rankscope::load {

// The same seed gives the same moments. Of a rate that changes evenly from one to another the
// moments of rate 1 are stretched by the inverse of its integral, so that gaps keep their form.
class ArrivalProcess {
 public:
  ArrivalProcess(const LevelSpec& level, Arrivals arrivals, double variation, std::uint64_t seed);
  // The next moment in ns since the level's begin, never before the last.
  std::int64_t Next();

 private:
  double Gap();

  const double from_per_s_, to_per_s_, seconds_;
  const Arrivals arrivals_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> exponential_{1.0};
  std::gamma_distribution<double> gamma_;
  double expected_ = 0;  // how many would have come by now
};

}  // namespace rankscope::load
