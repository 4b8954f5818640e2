// Where to try next: constrained expected improvement under noise.
//
//   score(x) = E[max(0, f(x) - f*)] * sqrt(P(x starts and keeps all limits))
//
// f is the belief of the logarithm of the objective with twice its deviation, and f* the greatest
// mean of it over tried points that are likely to be all right, so that a lucky run is no bar
// (Gelbart, Snoek and Adams 2014; Letham et al. 2019 integrate over f*, for which 30 trials give no
// reason). Both factors are softer than theirs: with a dozen runs the belief is too sure of itself,
// and a search that trusts it stays where the first good point was (bench/tune.cc). Where no point
// is likely to be all right, the score is that chance. What lies within 0.06 of a tried point in
// every parameter is not tried: looking twice is for the finals.
#pragma once

#include <cstdint>
#include <vector>

#include "tune/search/belief.h"

namespace rankscope::tune {

// Bounds of a search in the unit cube, a parameter each.
struct Box {
  std::vector<double> least, most;
};

// The best of 1,500 points of the box by chance and 500 near the best three that were tried, as far
// as they keep the space's orders. O(2,000 * trials^2 * limits): 15 ms for 30 trials and a limit.
Point NextPoint(const Space& space, const Box& box, const Belief& belief,
                const std::vector<Trial>& trials, std::uint64_t seed);

// E[max(0, f - than)].
double ExpectedImprovement(const Prediction& prediction, double than);

// A point is likely to be all right from here.
inline constexpr double kLikelyOk = 0.5;

}  // namespace rankscope::tune
