// Bisection: the greatest value of one parameter with which all is well, where more only makes it
// worse (the share of memory before it dies, a rate before it is late).
//
//   while (const auto value = search.Suggest()) search.Tell(IsWell(*value));
//
// Of a parameter of n values at most log2(n) + 2 trials: the least value, the greatest, then
// halves.
#pragma once

#include <optional>
#include <vector>

#include "tune/search/space.h"

namespace rankscope::tune {

class Bisection {
 public:
  // Of the values of space.Values(parameter).
  Bisection(const Space& space, std::size_t parameter);
  // nullopt: it is found, or the least value is too much already.
  std::optional<double> Suggest() const;
  // Of what Suggest gives.
  void Tell(bool is_well);
  // The greatest value that was well so far. nullopt: none.
  std::optional<double> Best() const;

 private:
  std::optional<std::size_t> Next() const;

  std::vector<double> values_;
  std::optional<std::size_t> well_;  // the greatest known
  std::size_t bad_;                  // the least known; values_.size(): none
};

}  // namespace rankscope::tune
