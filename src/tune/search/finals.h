// The end of a search: which points are compared with the defaults once more, and which is chosen.
#pragma once

#include <optional>
#include <vector>

#include "tune/search/belief.h"

namespace rankscope::tune {

inline constexpr std::size_t kMostFinalists = 3;

// The tried points, the defaults aside, that are likely to be all right, by mean plus half a
// deviation of the objective: it is the finals that doubt. Where there is none, those with the best
// chance to be. Up to three, and none that lies within 0.1 of a better one in every parameter while
// there are others.
std::vector<Point> Finalists(const Space& space, const Belief& belief,
                             const std::vector<Trial>& trials);

struct Choice {
  Point point;
  // The objective as a factor of the defaults': the middle, and bounds that hold it by 80%.
  double gain = 1, gain_low = 1, gain_high = 1;
};

// Of the finalists and the defaults the one whose objective has the greatest lower bound (90%).
//
// Finalists are compared with each other: the logarithm of the objective less its mean over the
// finalists of the same schedule, joined by precision with what the trials before let expect. The
// defaults, which may be so bad that they vary more than all others, are no measure of that; how
// much better the choice is than they are is told in the end, and where that is not sure they stay.
//
// A point is not chosen that crashed once, whose runs break a limit on average, or for which the
// upper bound (95%) of a metric by all trials lies above its limit; the defaults are no exception.
// nullopt: none is left.
std::optional<Choice> Choose(const Space& space, const std::vector<Limit>& limits,
                             const std::vector<Trial>& trials, const std::vector<Point>& finalists);

}  // namespace rankscope::tune
