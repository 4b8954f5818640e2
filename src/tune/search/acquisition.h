// Chooses the next point: constrained expected improvement under noise.
//
//   score(x) = E[max(0, f(x) - f*)] * sqrt(P(x starts and keeps all limits))
//
// f is the belief about the logarithm of the objective with its deviation doubled. f* is the
// greatest mean of f over tried points that are likely to be ok, so that a lucky run does not set
// the bar (Gelbart, Snoek and Adams 2014; Letham et al. 2019 integrate over f*, which 30 trials do
// not justify). Both factors are softer than in those papers: with a dozen runs the belief is
// overconfident, and a search that trusts it stays at the first good point (bench/tune.cc). If no
// point is likely to be ok, the score is that chance. Points within 0.06 of a tried point in every
// parameter are not tried: only the finals repeat points.
#pragma once

#include <cstdint>
#include <vector>

#include "tune/search/belief.h"

namespace rankscope::tune {

// Bounds of a search in the unit cube, one pair per parameter.
struct Box {
  std::vector<double> least, most;
};

// The best of 1,500 random points of the box and 500 points near the three best tried ones, out of
// those that keep the space's orders. O(2,000 * trials^2 * limits): 15 ms for 30 trials and one
// limit.
Point NextPoint(const Space& space, const Box& box, const Belief& belief,
                const std::vector<Trial>& trials, std::uint64_t seed);

// E[max(0, f - than)].
double ExpectedImprovement(const Prediction& prediction, double than);

// From this chance on, a point is likely to be ok.
inline constexpr double kLikelyOk = 0.5;

}  // namespace rankscope::tune
