// The end of a search: which points are compared once more with the defaults, and which one wins.
#pragma once

#include <optional>
#include <vector>

#include "tune/search/belief.h"

namespace rankscope::tune {

inline constexpr std::size_t kMostFinalists = 3;

// Ranks the tried points that are likely to be ok, without the defaults, by mean plus half a
// deviation of the objective: doubt is the finals' job. If there is none, ranks by the chance to be
// ok. Returns up to three; a point within 0.1 of a better one in every parameter is taken only if
// no others are left.
std::vector<Point> Finalists(const Space& space, const Belief& belief,
                             const std::vector<Trial>& trials);

struct Choice {
  Point point;
  // The objective relative to the defaults: middle, and bounds of the 80% interval.
  double gain = 1, gain_low = 1, gain_high = 1;
};

// Among the finalists and the defaults, the point whose objective has the greatest lower bound
// (90%).
//
// Finalists are compared with each other: the logarithm of the objective minus its mean over the
// finalists of the same schedule, combined by precision with the prediction from earlier trials.
// The defaults are not part of that mean, since they may be so bad that they vary more than all
// others. How much better the choice is than the defaults is measured at the end; if that is not
// certain, the defaults stay.
//
// A point is excluded if it crashed once, if its runs break a limit on average, or if the upper
// bound (95%) of a metric over all trials is above its limit; this also holds for the defaults.
// nullopt: no point is left.
std::optional<Choice> Choose(const Space& space, const std::vector<Limit>& limits,
                             const std::vector<Trial>& trials, const std::vector<Point>& finalists);

}  // namespace rankscope::tune
