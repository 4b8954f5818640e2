// Halton sequences with scrambled digits: points that fill the unit cube evenly, however many are
// taken.
//
// Coordinate j is the radical inverse of the index in the j-th prime's base, every digit permuted;
// the permutations follow from the seed (Owen 2017, "A randomized Halton algorithm in R").
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::tune {

class Halton {
 public:
  // Up to 32 dimensions.
  Halton(std::size_t dimensions, std::uint64_t seed);
  // Each in [0, 1).
  std::vector<double> Next();

 private:
  double Inverse(std::size_t dimension, std::uint64_t index) const;

  std::size_t dimensions_;
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

}  // namespace rankscope::tune
