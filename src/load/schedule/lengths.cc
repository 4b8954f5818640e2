#include "load/schedule/lengths.h"

#include <algorithm>
#include <cmath>

namespace rankscope::load {
namespace {

constexpr double kMostTokens = 10'000'000;

// sigma^2 = ln(1 + CV^2), mu = ln(mean) - sigma^2 / 2.
double SigmaOf(double variation) { return std::sqrt(std::log1p(variation * variation)); }

}  // namespace

LengthSource::LengthSource(const Lengths& lengths, std::uint64_t seed)
    : lengths_(lengths),
      random_(seed),
      distribution_(std::log(std::max(1, lengths.mean)) -
                        SigmaOf(lengths.variation) * SigmaOf(lengths.variation) / 2,
                    std::max(SigmaOf(lengths.variation), 1e-12)) {}

std::int32_t LengthSource::Next() {
  if (lengths_.variation == 0) return lengths_.mean;
  return static_cast<std::int32_t>(
      std::clamp(std::round(distribution_(random_)), 1.0, kMostTokens));
}

}  // namespace rankscope::load
