#include "tune/search/halton.h"

#include <numeric>

#include "base/check.h"
#include "tune/search/draw.h"

namespace rankscope::tune {
namespace {

constexpr std::uint64_t kPrimes[] = {2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                     37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                     83, 89, 97, 101, 103, 107, 109, 113, 127, 131};

// Where `digit` goes: Fisher and Yates by draws of `key`.
std::uint64_t Permuted(std::uint64_t digit, std::uint64_t base, std::uint64_t key) {
  std::vector<std::uint64_t> order(base);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint64_t i = base - 1; i > 0; --i) std::swap(order[i], order[Draw(key, i) % (i + 1)]);
  return order[digit];
}

}  // namespace

Halton::Halton(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), seed_(seed) {
  RS_CHECK(dimensions <= std::size(kPrimes), "too many dimensions");
}

std::vector<double> Halton::Next() {
  std::vector<double> point;
  for (std::size_t i = 0; i < dimensions_; ++i) point.push_back(Inverse(i, index_));
  ++index_;
  return point;
}

// To the end of the digits of a double: zeros in front of the index are permuted, too.
double Halton::Inverse(std::size_t dimension, std::uint64_t index) const {
  const std::uint64_t base = kPrimes[dimension];
  double value = 0;
  double scale = 1.0 / static_cast<double>(base);
  for (std::uint64_t place = 0; scale > 1e-12; ++place) {
    const std::uint64_t key = Draw(Draw(seed_, dimension), place);
    value += static_cast<double>(Permuted(index % base, base, key)) * scale;
    index /= base;
    scale /= static_cast<double>(base);
  }
  return std::min(value, 1 - 1e-12);
}

}  // namespace rankscope::tune
