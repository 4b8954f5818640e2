#include "load/run/search.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope::load {
namespace {

// A server that bears `capacity` a second; alone a request takes 250 ms.
double Found(double capacity, int& levels) {
  RateSearch search(10 * kS);
  double best = 0;
  levels = 0;
  while (const auto next = search.Next()) {
    ++levels;
    serving::LevelResult result{.level = {.kind = next->kind}};
    result.e2e = serving::Spread{.mean = 0.25e9};
    result.state = serving::LevelState::kSteady;
    if (next->kind == serving::LoadKind::kOpen) {
      result.level.target_per_s = next->per_s;
      result.requests = 100;
      if (next->per_s > capacity) result.state = serving::LevelState::kOverload;
      if (next->per_s <= capacity) best = std::max(best, next->per_s);
    }
    search.Tell(result);
  }
  return best;
}

TEST(RateSearch, FindsTheCapacityFromAboveAndBelow) {
  for (const double capacity : {0.3, 3.9, 4.1, 33.0, 1000.0}) {
    int levels = 0;
    const double found = Found(capacity, levels);
    EXPECT_LE(found, capacity);
    EXPECT_GE(found * RateSearch::kPrecision, capacity) << capacity;
    EXPECT_LE(levels, RateSearch::kMostLevels);
  }
}

TEST(RateSearch, EndsWhereTheGeneratorIsTooSlow) {
  RateSearch search(kS);
  serving::LevelResult alone{.level = {.kind = serving::LoadKind::kClosed}};
  alone.e2e = serving::Spread{.mean = 1e9};
  search.Tell(alone);
  serving::LevelResult invalid{.level = {.kind = serving::LoadKind::kOpen, .target_per_s = 1}};
  invalid.invalid = "busy";
  search.Tell(invalid);
  EXPECT_DOUBLE_EQ(search.Next()->per_s, 1);
  search.Tell(invalid);
  EXPECT_FALSE(search.Next());
}

TEST(RateSearch, GivesUpWhereNothingIsAnswered) {
  RateSearch search(kS);
  EXPECT_TRUE(search.Next());
  search.Tell({.level = {.kind = serving::LoadKind::kClosed}});
  EXPECT_FALSE(search.Next());
}

TEST(RateSearch, ABrokenObjectiveOrFailuresAreBad) {
  RateSearch search(kS);
  serving::LevelResult alone{.level = {.kind = serving::LoadKind::kClosed}};
  alone.e2e = serving::Spread{.mean = 1e9};
  search.Tell(alone);
  EXPECT_DOUBLE_EQ(search.Next()->per_s, 1);
  // Few requests a second, or long ones: the level is longer, up to six times.
  EXPECT_EQ(search.Next()->sending, 6 * kS);
  serving::LevelResult bad{.level = {.kind = serving::LoadKind::kOpen, .target_per_s = 1}};
  bad.state = serving::LevelState::kSteady;
  bad.good_pct = 94;
  search.Tell(bad);
  EXPECT_DOUBLE_EQ(search.Next()->per_s, 0.5);
}

}  // namespace
}  // namespace rankscope::load
