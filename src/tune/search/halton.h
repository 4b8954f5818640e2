// Halton sequences with scrambled digits: points that fill the unit cube evenly, for any number of
// points.
//
// Coordinate j is the radical inverse of the index in the base of the j-th prime, with every digit
// permuted; the seed determines the permutations (Owen 2017, "A randomized Halton algorithm in R").
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::tune {

class Halton {
 public:
  // Up to 32 dimensions.
  Halton(std::size_t dimensions, std::uint64_t seed);
  // Coordinates in [0, 1).
  std::vector<double> Next();

 private:
  double Inverse(std::size_t dimension, std::uint64_t index) const;

  std::size_t dimensions_;
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

}  // namespace rankscope::tune
