#include "statistics/statistics.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(Quantile, InterpolatesBetweenTheTwoNearest) {
  const std::vector<std::int64_t> values = {10, 20, 30, 40};
  EXPECT_DOUBLE_EQ(Quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.99), 39.7);
  EXPECT_DOUBLE_EQ(Quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(Quantile(std::vector<std::int64_t>{7}, 0.9), 7);
}

TEST(Describe, CountsAndOrders) {
  std::vector<std::int64_t> values = {5, 1, 3};
  const Description stats = Describe(values);
  EXPECT_EQ(stats.count, 3);
  EXPECT_EQ(stats.total, 9);
  EXPECT_EQ(stats.min, Value(std::int64_t{1}));
  EXPECT_EQ(stats.max, Value(std::int64_t{5}));
  EXPECT_EQ(stats.mean, Value(3.0));
  EXPECT_EQ(stats.p50, Value(3.0));
}

TEST(Describe, NothingIsUnknownNotZero) {
  std::vector<std::int64_t> none;
  const Description stats = Describe(none);
  EXPECT_EQ(stats.count, 0);
  EXPECT_EQ(stats.mean, Value(kNull));
  EXPECT_EQ(stats.max, Value(kNull));
}

TEST(RobustDeviations, ByHand) {
  // Median 3, distances 2 1 0 1 97, MAD 1.
  const auto deviations = RobustDeviations(std::vector<double>{1, 2, 3, 4, 100});
  EXPECT_DOUBLE_EQ(*deviations[0], -2 * 0.6745);
  EXPECT_DOUBLE_EQ(*deviations[2], 0);
  EXPECT_DOUBLE_EQ(*deviations[4], 97 * 0.6745);
}

TEST(RobustDeviations, WithoutMadTheMeanDistanceServes) {
  // Most are equal: MAD 0, mean distance 10 / 5 = 2.
  const auto deviations = RobustDeviations(std::vector<double>{5, 5, 5, 5, 15});
  EXPECT_DOUBLE_EQ(*deviations[0], 0);
  EXPECT_DOUBLE_EQ(*deviations[4], 10 / (1.2533 * 2));
}

TEST(RobustDeviations, UnknownWhenNothingDiffersOrTooFew) {
  for (const auto& deviation : RobustDeviations(std::vector<double>{4, 4, 4}))
    EXPECT_FALSE(deviation.has_value());
  for (const auto& deviation : RobustDeviations(std::vector<double>{1, 9}))
    EXPECT_FALSE(deviation.has_value());
}

}  // namespace
}  // namespace rankscope
