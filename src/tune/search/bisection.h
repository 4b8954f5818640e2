// Bisection: finds the greatest good value of one parameter, if larger values only make things
// worse (the share of memory before the server dies, a rate before requests are late).
//
//   while (const auto value = search.Suggest()) search.Tell(IsWell(*value));
//
// For a parameter with n values at most log2(n) + 2 trials: the least value, the greatest value,
// then halves.
#pragma once

#include <optional>
#include <vector>

#include "tune/search/space.h"

namespace rankscope::tune {

class Bisection {
 public:
  // Searches the values of space.Values(parameter).
  Bisection(const Space& space, std::size_t parameter);
  // nullopt: it is found, or even the least value is too much.
  std::optional<double> Suggest() const;
  // The result for the value that Suggest gave.
  void Tell(bool is_well);
  // The greatest good value so far. nullopt: none.
  std::optional<double> Best() const;

 private:
  std::optional<std::size_t> Next() const;

  std::vector<double> values_;
  std::optional<std::size_t> well_;  // index of the greatest good value
  std::size_t bad_;                  // index of the least bad value; values_.size(): none
};

}  // namespace rankscope::tune
