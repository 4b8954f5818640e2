#include "hta/stats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope::hta {
namespace {

TEST(Round, HalvesGoToTheEvenSide) {
  EXPECT_EQ(Round(0.125, 2), 0.12);
  EXPECT_EQ(Round(0.375, 2), 0.38);
  EXPECT_EQ(Round(2.5, 0), 2.0);
  EXPECT_EQ(Round(99.996, 2), 100.0);
  EXPECT_FALSE(std::signbit(Round(-0.001, 2)));
}

TEST(Quantile, InterpolatesLinearly) {
  const double values[] = {1, 2, 4, 8, 16};
  EXPECT_EQ(QuantileOf(values, 0), 1);
  EXPECT_EQ(QuantileOf(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(QuantileOf(values, 0.8), 9.6);
  EXPECT_EQ(QuantileOf(values, 1), 16);
  EXPECT_EQ(QuantileOf(std::span(values, 1), 0.8), 1);
}

TEST(Describe, WhatFewValuesLeaveUndefined) {
  const Description four = Describe({4, 1, 3, 2});
  EXPECT_EQ(four.count, 4);
  EXPECT_EQ(four.mean, 2.5);
  EXPECT_DOUBLE_EQ(four.std.value(), std::sqrt(5.0 / 3));
  EXPECT_EQ(four.min, 1.0);
  EXPECT_EQ(four.q25, 1.75);
  EXPECT_EQ(four.q50, 2.5);
  EXPECT_EQ(four.q75, 3.25);
  EXPECT_EQ(four.max, 4.0);
  const Description one = Describe({7});
  EXPECT_EQ(one.std, std::nullopt);
  EXPECT_EQ(one.q75, 7.0);
  const Description none = Describe({});
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.mean, std::nullopt);
  EXPECT_EQ(none.max, std::nullopt);
}

TEST(RunningSpread, IsTheDeviationOfASample) {
  RunningSpread spread;
  spread.Add(94);
  EXPECT_EQ(spread.std(), 0);
  spread.Add(1);
  EXPECT_DOUBLE_EQ(spread.std(), 93 / std::sqrt(2.0));
}

}  // namespace
}  // namespace rankscope::hta
