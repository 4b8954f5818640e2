#include "job/rank_list.h"

#include <gtest/gtest.h>

#include <numeric>

namespace rankscope {
namespace {

using RankListRanks = std::vector<std::int64_t>;

TEST(RankList, AsTracesWriteThem) {
  EXPECT_EQ(RanksOfText("[0, 8, 16]", 3), (RankListRanks{0, 8, 16}));
  EXPECT_EQ(RanksOfText("[5]", -1), RankListRanks{5});
  EXPECT_EQ(RanksOfText("[]", 0), RankListRanks{});
  for (const char* text : {"", "0, 1", "[0, x]", "[0 1]", "[-1]", "[0, 99999999999999999999]"})
    EXPECT_EQ(RanksOfText(text, 2), RankListRanks{}) << text;
}

TEST(RankList, CutOff) {
  EXPECT_EQ(RanksOfText("[2, 6, 10, ...]", 5), (RankListRanks{2, 6, 10, 14, 18}));
  EXPECT_EQ(RanksOfText("[2, 6, 11, ...]", 5), RankListRanks{});  // how it goes on is not known
  EXPECT_EQ(RanksOfText("[2, 6, 10, ...]", -1), RankListRanks{});
  EXPECT_EQ(RanksOfText("[2, 6, 10, ...]", 2), RankListRanks{});
  EXPECT_EQ(RanksOfText("[2, 6, 10, ...]", INT64_MAX), RankListRanks{});
}

TEST(RankList, Packed) {
  RankListRanks all(10'000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(PackRanks(all), "0-9999");
  EXPECT_EQ(PackRanks(RankListRanks{0, 8, 16, 24}), "0-24/8");
  EXPECT_EQ(PackRanks(RankListRanks{0, 1, 4, 5, 6, 20}), "0,1,4-6,20");
  EXPECT_EQ(PackRanks(RankListRanks{}), "");
  for (const RankListRanks& ranks :
       {all, RankListRanks{0, 8, 16, 24}, RankListRanks{3}, RankListRanks{0, 1, 4, 5, 6, 20},
        RankListRanks{7, 3, 5}, RankListRanks{0, 1}, RankListRanks{}})
    EXPECT_EQ(UnpackRanks(PackRanks(ranks)), ranks);
}

TEST(RankList, HostileTexts) {
  for (const char* text : {"x", "1,", "1,,2", "5-1", "0-10/0", "0-9223372036854775807",
                           "1,0-9223372036854775807", "1-", "-3"})
    EXPECT_TRUE(UnpackRanks(text).empty() || std::string_view(text) == "1,") << text;
}

}  // namespace
}  // namespace rankscope
