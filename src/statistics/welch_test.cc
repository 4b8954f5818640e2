#include "statistics/welch.h"

#include <gtest/gtest.h>

#include <array>

namespace rankscope {
namespace {

// Textbook values: t(0.975, 10) = 2.228139, t(0.995, 4) = 4.604095, t(0.95, 1) = 6.313752.
TEST(Welch, StudentsDistribution) {
  EXPECT_NEAR(StudentTwoSided(2.228139, 10), 0.05, 1e-7);
  EXPECT_NEAR(StudentTwoSided(-4.604095, 4), 0.01, 1e-7);
  EXPECT_NEAR(StudentTwoSided(6.313752, 1), 0.1, 1e-7);
  EXPECT_DOUBLE_EQ(StudentTwoSided(0, 3), 1);
  // With many degrees the normal distribution's 1.959964.
  EXPECT_NEAR(StudentTwoSided(1.959964, 1e7), 0.05, 1e-5);
}

// Means 2 and 5, variances 1 and 4 of three values: t = -3 / sqrt(5/3) = -2.32379, by
// Welch-Satterthwaite (5/3)^2 / (1/9/2 + 16/9/2) = 2.941176 degrees.
TEST(Welch, ByHand) {
  const std::array<double, 3> a = {1, 2, 3};
  const std::array<double, 3> b = {3, 5, 7};
  EXPECT_NEAR(*WelchTest(a, b), StudentTwoSided(2.323790, 2.941176), 1e-6);
  EXPECT_DOUBLE_EQ(*WelchTest(a, b), *WelchTest(b, a));
}

// A single value has the other's spread: (9 - 2) / sqrt(1 + 1/3) = 6.062178 with 2 degrees.
TEST(Welch, OfASingleValue) {
  const std::array<double, 3> a = {1, 2, 3};
  const std::array<double, 1> b = {9};
  EXPECT_NEAR(*WelchTest(a, b), StudentTwoSided(6.062178, 2), 1e-6);
  EXPECT_EQ(WelchTest(b, b), std::nullopt);
  EXPECT_EQ(WelchTest(a, {}), std::nullopt);
}

TEST(Welch, WithoutSpread) {
  const std::array<double, 2> a = {4, 4};
  const std::array<double, 2> b = {5, 5};
  EXPECT_EQ(WelchTest(a, b), 0);
  EXPECT_EQ(WelchTest(a, a), 1);
}

// 0.01 * 3, 0.03 * 2, 0.04 * 1, none below the one before it.
TEST(Welch, Holm) {
  const std::array<std::optional<double>, 4> p = {0.04, 0.01, std::nullopt, 0.03};
  const auto adjusted = HolmAdjusted(p);
  EXPECT_DOUBLE_EQ(*adjusted[1], 0.03);
  EXPECT_DOUBLE_EQ(*adjusted[3], 0.06);
  EXPECT_DOUBLE_EQ(*adjusted[0], 0.06);
  EXPECT_EQ(adjusted[2], std::nullopt);
}

}  // namespace
}  // namespace rankscope
