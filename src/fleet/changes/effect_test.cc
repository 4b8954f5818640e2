#include "fleet/changes/effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rankscope::fleet {
namespace {

TEST(RobustSigma, OfTheMedianDeviation) {
  // Median 3; deviations 2 1 0 1 97, their median 1.
  EXPECT_DOUBLE_EQ(RobustSigma(std::vector<double>{1, 2, 3, 4, 100}), 1.4826);
  EXPECT_EQ(RobustSigma(std::vector<double>{5}), 0);
  EXPECT_EQ(RobustSigma({}), 0);
}

// By hand: around the one mean 2.5 the squares sum to 5, around 1.5 and 3.5 to 1.
TEST(LogBayesFactor, OfTheSchwarzCriterion) {
  const std::vector<double> before = {1, 2}, after = {3, 4};
  EXPECT_NEAR(LogBayesFactor(before, after), (4 * std::log(5.0) - std::log(4.0)) / 2, 1e-12);
  EXPECT_LT(LogBayesFactor(before, before), 0);
  EXPECT_TRUE(std::isinf(LogBayesFactor(std::vector<double>{1, 1}, std::vector<double>{2, 2})));
  EXPECT_LT(LogBayesFactor(std::vector<double>{1, 1}, std::vector<double>{1, 1}), 0);
  EXPECT_EQ(LogBayesFactor({}, after), 0);
}

}  // namespace
}  // namespace rankscope::fleet
