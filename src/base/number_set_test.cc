#include "base/number_set.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using Set = std::set<std::int64_t>;

TEST(NumberSet, ListsAndRanges) {
  EXPECT_EQ(*ParseNumberSet("3"), (Set{3}));
  EXPECT_EQ(*ParseNumberSet("0,2,5-7"), (Set{0, 2, 5, 6, 7}));
  EXPECT_EQ(*ParseNumberSet("-1"), (Set{-1}));
  EXPECT_EQ(*ParseNumberSet("9223372036854775807"), (Set{INT64_MAX}));
}

TEST(RangesText, JoinsNeighboursAndDropsRepeats) {
  EXPECT_EQ(RangesText({}), "");
  EXPECT_EQ(RangesText({8, 3, 0, 1, 2, 3}), "0-3,8");
  EXPECT_EQ(RangesWords({8, 3, 0, 1, 2, 3}), "0-3, 8");
  EXPECT_EQ(RangesText({-2, -1, 5}), "-2--1,5");
}

TEST(NumberSet, RefusesWhatIsNone) {
  for (const char* text : {"", "a", "1-", "7-5", "1,,2", "0-9999999999",
                           "-9223372036854775808-9223372036854775807", "0-999999,2000000"}) {
    EXPECT_FALSE(ParseNumberSet(text).ok()) << text;
  }
  EXPECT_EQ(ParseNumberSet("1,x").status().message(),
            "'x' is not a number or range such as 0,2,5-7");
}

TEST(ByteSize, Suffixes) {
  EXPECT_EQ(*ParseByteSize("1000"), 1000U);
  EXPECT_EQ(*ParseByteSize("512M"), 512ULL << 20);
  EXPECT_EQ(*ParseByteSize("2T"), 2ULL << 40);
  EXPECT_EQ(*ParseByteSize("200k"), 200ULL << 10);
  for (const char* text : {"", "G", "1.5G", "-1", "99999999999T"})
    EXPECT_FALSE(ParseByteSize(text).ok()) << text;
}

}  // namespace
}  // namespace rankscope
