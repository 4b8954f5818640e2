// Searches of a simulated server against the truth of its grid; bench/tune.cc does so in full.
#include <gtest/gtest.h>

#include "tune/search/optimiser.h"
#include "tune/search/search_baselines_for_test.h"
#include "tune/search/simulated_subject_for_test.h"

namespace rankscope::tune {
namespace {

constexpr int kTruthRuns = 4;
constexpr int kSeeds = 4;
constexpr int kTrials = 30;

TEST(SimulatedServer, TheChoiceIsNearTheBestAndBeatsTheOtherSearches) {
  SimulatedSubject subject({.requests = 1500, .tunes_memory = false});
  const Space space = subject.MakeSpace();
  const double best = subject.Best(space, kTruthRuns).goodput;
  const auto regret = [&](const std::optional<Point>& point) {
    if (!point) return 1.0;
    const auto truth = subject.TruthOf(*point, kTruthRuns);
    return truth.is_ok ? 1 - truth.goodput / best : 1.0;
  };
  double own = 0, random = 0, descent = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Trier run = [&](const Point& point, std::uint64_t schedule) {
      return subject.Run(point, sim::MixAll(seed, schedule, 5));
    };
    auto search =
        Optimiser::Make(space, {.trials = kTrials, .seed = seed, .limits = subject.limits()})
            .value();
    while (const auto next = search.Suggest())
      ASSERT_TRUE(search.Tell(run(next->point, next->schedule)).ok());
    const auto choice = search.Choose();
    ASSERT_TRUE(choice) << seed;
    EXPECT_TRUE(subject.TruthOf(choice->point, kTruthRuns).is_ok) << seed;
    own += regret(choice->point) / kSeeds;
    random += regret(RandomSearch(space, subject.limits(), kTrials, seed, run)) / kSeeds;
    descent += regret(CoordinateDescent(space, subject.limits(), kTrials, run)) / kSeeds;
  }
  EXPECT_LT(own, 0.05);
  EXPECT_LE(own, random);
  EXPECT_LT(own, descent);
}

}  // namespace
}  // namespace rankscope::tune
