// Many tests at once: which results are credible.
#pragma once

#include <span>
#include <vector>

namespace rankscope::fleet {

// Benjamini and Hochberg's q values (1995) for p values in any order: min over p_j >= p_i of p_j *
// m / rank of p_j, at most 1. Among tests with q <= 5 %, on average at most one in twenty is false,
// if the tests are independent or positively dependent. O(m log m).
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace rankscope::fleet
