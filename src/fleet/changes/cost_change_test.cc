#include "fleet/changes/cost_change.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rankscope::fleet {
namespace {

TEST(CostChange, MoreOfTheSameIsCount) {
  const std::vector<StratumChange> strata = {{10, 20, 1000, 2000}, {5, 10, 50, 100}};
  const CostChange change = ChangeOf(strata);
  EXPECT_EQ(change.count, 1050);
  EXPECT_EQ(change.duration, 0);
  EXPECT_EQ(change.mix, 0);
  EXPECT_DOUBLE_EQ(change.index.value(), 1);
}

TEST(CostChange, SlowerWorkIsDuration) {
  const std::vector<StratumChange> strata = {{10, 10, 1000, 1200}, {10, 10, 1000, 1000}};
  const CostChange change = ChangeOf(strata);
  EXPECT_EQ(change.duration, 200);
  EXPECT_EQ(change.count, 0);
  EXPECT_EQ(change.mix, 0);
  EXPECT_NEAR(change.index.value(), std::sqrt(1.2), 1e-12);  // half of the time before got 1.2 x
}

// The mean duration doubles, and no kernel got slower.
TEST(CostChange, AnotherMixtureIsMix) {
  const std::vector<StratumChange> strata = {{90, 10, 900, 100}, {10, 90, 1000, 9000}};
  const CostChange change = ChangeOf(strata);
  EXPECT_EQ(change.duration, 0);
  EXPECT_EQ(change.count, 0);
  EXPECT_EQ(change.mix, 9100 - 1900);
  EXPECT_DOUBLE_EQ(change.index.value(), 1);
}

TEST(CostChange, WhatIsNewIsMixAndCount) {
  const std::vector<StratumChange> strata = {{10, 10, 100, 100}, {0, 10, 0, 500}};
  const CostChange change = ChangeOf(strata);
  EXPECT_EQ(change.duration, 0);
  EXPECT_EQ(change.count, 100);  // ten launches more of 10 each
  EXPECT_EQ(change.mix, 400);
}

TEST(CostChange, PartsAlwaysSumToTheChange) {
  std::mt19937_64 random(1);  // NOLINT: the same every time
  for (int round = 0; round < 300; ++round) {
    std::vector<StratumChange> strata(random() % 8);
    for (StratumChange& one : strata) {
      one.launches_before = static_cast<std::int64_t>(random() % 4 * (random() % 1000));
      one.launches_after = static_cast<std::int64_t>(random() % 4 * (random() % 1000));
      one.time_before = one.launches_before * static_cast<std::int64_t>(random() % 1'000'003);
      one.time_after = one.launches_after * static_cast<std::int64_t>(random() % 1'000'003);
    }
    const CostChange change = ChangeOf(strata);
    EXPECT_EQ(change.mix + change.duration + change.count, change.after - change.before);
  }
}

TEST(CostChange, NothingBeforeIsMix) {
  const std::vector<StratumChange> strata = {{0, 10, 0, 500}};
  const CostChange change = ChangeOf(strata);
  EXPECT_EQ(change.mix, 500);
  EXPECT_FALSE(change.index.has_value());
}

}  // namespace
}  // namespace rankscope::fleet
