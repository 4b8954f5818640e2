// Many tests at once: which of them may be believed.
#pragma once

#include <span>
#include <vector>

namespace rankscope::fleet {

// Benjamini and Hochberg's q values (1995) of p values in any order: min over p_j >= p_i of
// p_j * m / rank of p_j, at most 1. Of the tests with q <= 5 % one in twenty at most is false in
// the mean, for tests that are independent or depend positively on each other. O(m log m).
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace rankscope::fleet
