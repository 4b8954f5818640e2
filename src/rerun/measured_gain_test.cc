#include "rerun/measured_gain.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rankscope::rerun {
namespace {

TEST(MeasuredGain, OfTheMeans) {
  const MeasuredGain gain =
      GainOf(std::vector<double>{90, 100, 110}, std::vector<double>{60, 60, 60});
  EXPECT_DOUBLE_EQ(gain.pct, 40);
  // Of three runs the range is that of all samples: one in 27 has the least run three times.
  EXPECT_DOUBLE_EQ(*gain.low_pct, 100 * (1 - 60.0 / 90));
  EXPECT_DOUBLE_EQ(*gain.high_pct, 100 * (1 - 60.0 / 110));
}

TEST(MeasuredGain, TwoRunsOfASideTellNoRange) {
  const MeasuredGain gain = GainOf(std::vector<double>{99, 101}, std::vector<double>{50, 50, 50});
  EXPECT_DOUBLE_EQ(gain.pct, 50);
  EXPECT_FALSE(gain.low_pct || gain.high_pct);
  EXPECT_EQ(VerdictOf(gain, {}), Verdict::kUnknown);
}

TEST(MeasuredGain, IsTheSameEachTime) {
  const std::vector<double> before = {10, 11, 12, 13, 14}, after = {9, 9.5, 10, 11, 12};
  EXPECT_EQ(GainOf(before, after).low_pct, GainOf(before, after).low_pct);
}

// Of 400 pairs of sides that are equal, five runs each and normal, few show a gain, or a loss: 5 %
// together, where the plain percentiles show 13.
TEST(MeasuredGain, EqualSidesAreSeldomTold) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> run(100, 5);
  int told = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> before(5), after(5);
    for (double& value : before) value = run(random);
    for (double& value : after) value = run(random);
    const MeasuredGain gain = GainOf(before, after);
    told += *gain.low_pct > 0 || *gain.high_pct < 0 ? 1 : 0;
  }
  EXPECT_LT(told, 400 * 0.08);
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
