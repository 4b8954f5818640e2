#include "load/schedule/arrivals.h"

#include <algorithm>
#include <cmath>

namespace rankscope::load {

ArrivalProcess::ArrivalProcess(const LevelSpec& level, Arrivals arrivals, double variation,
                               std::uint64_t seed)
    : from_per_s_(level.per_s),
      to_per_s_(level.end_per_s.value_or(level.per_s)),
      seconds_(static_cast<double>(level.sending) / 1e9),
      arrivals_(arrivals),
      random_(seed),
      gamma_(1 / (variation * variation), variation * variation) {}

double ArrivalProcess::Gap() {
  switch (arrivals_) {
    case Arrivals::kPoisson:
      return exponential_(random_);
    case Arrivals::kGamma:
      return gamma_(random_);
    case Arrivals::kConstant:
      break;
  }
  return 1;
}

std::int64_t ArrivalProcess::Next() {
  // The first of constant arrivals comes at once.
  if (arrivals_ == Arrivals::kConstant && expected_ == 0) {
    expected_ = 1;
    return 0;
  }
  const double begun = arrivals_ == Arrivals::kConstant ? expected_ : expected_ + Gap();
  expected_ = arrivals_ == Arrivals::kConstant ? expected_ + 1 : begun;
  // expected = from t + (to - from) t^2 / (2 T), solved for t.
  const double slope = (to_per_s_ - from_per_s_) / seconds_;
  double t = begun / from_per_s_;
  if (slope != 0) {
    const double inside = from_per_s_ * from_per_s_ + 2 * slope * begun;
    // A falling rate ends where it is 0: what comes behind comes never.
    t = inside > 0 ? 2 * begun / (from_per_s_ + std::sqrt(inside)) : 2 * seconds_;
  }
  constexpr double kMostSeconds = 1e9;
  return static_cast<std::int64_t>(std::min(t, kMostSeconds) * 1e9);
}

}  // namespace rankscope::load
