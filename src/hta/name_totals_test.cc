#include "hta/name_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

using testing::ElementsAre;

std::vector<NameTotal> Totals(std::initializer_list<std::pair<const char*, std::int64_t>> sums) {
  std::vector<NameTotal> totals;
  for (const auto& [name, sum] : sums) totals.push_back({name, sum, 3, 1, 2.0, 0.5});
  return totals;
}

std::vector<std::string> NamesOfTotals(const std::vector<NameTotal>& totals) {
  std::vector<std::string> names;
  for (const NameTotal& total : totals) names.push_back(total.name);
  return names;
}

TEST(NameSums, ByName) {
  NameSums sums;
  sums.Add("b", 4);
  sums.Add("a", 7);
  sums.Add("b", 1);
  auto table = SchemaOf<NameSumPartial>().NewPartial("totals");
  sums.AppendTo(table, "x");
  NameSums().AppendTo(table, "y");
  const std::vector<NameTotal> totals = TotalsOf(table, "x");
  ASSERT_THAT(NamesOfTotals(totals), ElementsAre("a", "b"));
  EXPECT_EQ(totals[1].sum, 5);
  EXPECT_EQ(totals[1].max, 4);
  EXPECT_EQ(totals[1].min, 1);
  EXPECT_EQ(totals[1].mean, 2.5);
  EXPECT_DOUBLE_EQ(totals[1].std * totals[1].std, 4.5);
  EXPECT_EQ(totals[0].std, 0);
  EXPECT_TRUE(TotalsOf(table, "y").empty());
}

TEST(Fold, FewNamesStayAsTheyAre) {
  const auto totals = Fold(Totals({{"a", 50}, {"b", 30}}), {2, 0.8, {}});
  EXPECT_THAT(NamesOfTotals(totals), ElementsAre("a", "b"));
  EXPECT_EQ(totals[0].mean, 2.0);
}

// Cumulated: 50, 80, 95, 100; the quantile 0.8 of these is 97, the quantile 0.5 is 87.5.
TEST(Fold, SmallNamesBecomeOthersAndMeansTotals) {
  const auto by_quantile = Fold(Totals({{"d", 5}, {"b", 30}, {"a", 50}, {"c", 15}}), {3, 0.5, {}});
  ASSERT_THAT(NamesOfTotals(by_quantile), ElementsAre("a", "b", "others"));
  EXPECT_EQ(by_quantile[0].sum, 50);
  EXPECT_EQ(by_quantile[0].mean, 50) << "HTA's defect: the total";
  EXPECT_EQ(by_quantile[0].max, 50);
  EXPECT_EQ(by_quantile[0].min, 50);
  EXPECT_EQ(by_quantile[0].std, 0);
  EXPECT_EQ(by_quantile[2].sum, 20);
  EXPECT_EQ(by_quantile[2].max, 15);
  EXPECT_EQ(by_quantile[2].mean, 10);
  EXPECT_DOUBLE_EQ(by_quantile[2].std * by_quantile[2].std, 50);
  const auto by_count = Fold(Totals({{"a", 50}, {"b", 30}, {"c", 15}, {"d", 5}}), {1, 1, {}});
  EXPECT_THAT(NamesOfTotals(by_count), ElementsAre("a", "others"));
}

TEST(Fold, WhatIsNeverOthers) {
  const auto listed =
      Fold(Totals({{"a", 50}, {"b", 30}, {"my op", 15}, {"d", 5}}), {1, 0.5, {"my", "none"}});
  EXPECT_THAT(NamesOfTotals(listed), ElementsAre("a", "my op", "others"));
  // HTA marks "none" by a test for negative sums, which rounding can make.
  const auto negative = Fold(Totals({{"a", 50}, {"b", 30}, {"waits", -2}}), {1, 0.5, {}});
  EXPECT_THAT(NamesOfTotals(negative), ElementsAre("a", "others", "waits"));
}

}  // namespace
}  // namespace rankscope::hta
