#include "analysis/device/gap_sums.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(GapSums, TheLargestFirstAndTheRestTogether) {
  GapSums sums;
  const HostMoment first{.op = 1}, second{.op = 2}, third{.op = 3};
  sums.Add(first, {0, 10});
  sums.Add(second, {20, 50});
  sums.Add(first, {60, 65});
  sums.Add(third, {70, 72});
  sums.AddToOthers({80, 81});
  EXPECT_EQ(sums.total_ns(), 48);
  const auto rows = sums.Rows(2);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].moment.op, 2U);
  EXPECT_EQ(rows[0].sum.total_ns, 30);
  EXPECT_EQ(rows[1].sum.gaps, 2);
  EXPECT_EQ(rows[1].sum.total_ns, 15);
  EXPECT_EQ(rows[1].sum.longest, (Interval{0, 10}));
  EXPECT_TRUE(rows[2].is_others);
  EXPECT_EQ(rows[2].sum.gaps, 2);
  EXPECT_EQ(rows[2].sum.longest, (Interval{70, 72}));
}

TEST(GapSums, NoOthersWhereAllHaveARow) {
  GapSums sums;
  sums.Add({.op = 1}, {0, 10});
  EXPECT_EQ(sums.Rows(1).size(), 1U);
  EXPECT_TRUE(GapSums().Rows(1).empty());
}

}  // namespace
}  // namespace rankscope
