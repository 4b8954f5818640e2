#include "rerun/measured_gain.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope::rerun {
namespace {

TEST(MeasuredGain, OfTheMeans) {
  const MeasuredGain gain = GainOf(std::vector<double>{90, 110}, std::vector<double>{60, 60});
  EXPECT_DOUBLE_EQ(gain.pct, 40);
  // A sample of two runs is 90 and 90, 90 and 110 (twice as often), or 110 and 110: the least and
  // the most come in a quarter of the samples each.
  EXPECT_DOUBLE_EQ(*gain.low_pct, 100 * (1 - 60.0 / 90));
  EXPECT_DOUBLE_EQ(*gain.high_pct, 100 * (1 - 60.0 / 110));
}

TEST(MeasuredGain, OneRunOfASideTellsNoRange) {
  const MeasuredGain gain = GainOf(std::vector<double>{100}, std::vector<double>{50, 50});
  EXPECT_DOUBLE_EQ(gain.pct, 50);
  EXPECT_FALSE(gain.low_pct || gain.high_pct);
  EXPECT_EQ(VerdictOf(gain, {}), Verdict::kUnknown);
}

TEST(MeasuredGain, IsTheSameEachTime) {
  const std::vector<double> before = {10, 11, 12, 13, 14}, after = {9, 9.5, 10, 11, 12};
  EXPECT_EQ(GainOf(before, after).low_pct, GainOf(before, after).low_pct);
}

MeasuredGain Between(double low, double high) {
  return {.pct = (low + high) / 2, .low_pct = low, .high_pct = high};
}

TEST(Verdicts, ByTheRange) {
  EXPECT_EQ(VerdictOf(Between(1, 9), {}), Verdict::kConfirmed);
  EXPECT_EQ(VerdictOf(Between(0, 9), {}), Verdict::kNoGain);
  EXPECT_EQ(VerdictOf(Between(-3, 9), {}), Verdict::kNoGain);
  EXPECT_EQ(VerdictOf(Between(-9, -1), {}), Verdict::kSlower);
}

// Two thirds of 15 are 10.
TEST(Verdicts, ByThePromise) {
  EXPECT_EQ(VerdictOf(Between(5, 10), {.pct = 15}), Verdict::kConfirmed);
  EXPECT_EQ(VerdictOf(Between(5, 9.9), {.pct = 15}), Verdict::kLess);
  EXPECT_EQ(VerdictOf(Between(40, 50), {.pct = 15}), Verdict::kConfirmed);
  EXPECT_EQ(VerdictOf(Between(5, 9.9), {.pct = 15, .is_bound = true}), Verdict::kConfirmed);
}

}  // namespace
}  // namespace rankscope::rerun
