#include "formats/memory_timeline/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope::memory_timeline {
namespace {

using ::testing::HasSubstr;

Result<snapshot::CategoryTimeline> ReadText(std::string_view text) {
  const auto source = OpenByteSource(text);
  return Read(*source, "timeline.json");
}

TEST(MemoryTimeline, IsToldByItsFirstRow) {
  EXPECT_TRUE(IsTimeline("[[-1, 1, 37888, 7], [-1, 1, 512, 7]"));
  EXPECT_TRUE(IsTimeline(" [\n [5,1,2,3]"));
  EXPECT_TRUE(IsTimeline("[[5, 6], [[0, 1, 2"));
  EXPECT_TRUE(IsTimeline("[[1, 2, 3, 4, 5, 6, 7"));
  EXPECT_FALSE(IsTimeline("[[5, 1, 2], [5, 1, 2]]"));
  EXPECT_FALSE(IsTimeline("[[5, 1, 2, 3"));
  EXPECT_FALSE(IsTimeline("[{\"ph\": \"X\"}]"));
  EXPECT_FALSE(IsTimeline("[[\"a\", 1, 2, 3]]"));
  EXPECT_FALSE(IsTimeline(""));
}

TEST(MemoryTimeline, RowsAreReadAsTheyStand) {
  const auto read = ReadText("[[-1, 1, 37888, 7],\n[1696966047097422633, 4, -512, 0]]");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->changes.size(), 2u);
  EXPECT_EQ(read->changes[0].time_ns, -1);
  EXPECT_EQ(read->changes[0].bytes, 37888);
  EXPECT_EQ(read->changes[0].category, 7);
  EXPECT_EQ(read->changes[1].time_ns, 1696966047097422633);
  EXPECT_EQ(read->changes[1].bytes, -512);
  EXPECT_EQ(read->changes[1].action, 4);
  EXPECT_TRUE(ReadText("[]")->changes.empty());
}

// 100 bytes of parameters from before, 20 of input that come, 100 that go.
TEST(MemoryTimeline, LevelsAreReadAsTheChangesBetweenThem) {
  const auto read = ReadText(
      "[[1000, 1000, 1005], [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 20, 0, 0, 0, 0, 0], "
      "[0, 0, 0, 20, 0, 0, 0, 0, 0]]]");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->changes.size(), 3u);
  EXPECT_EQ(read->changes[0].time_ns, -1);
  EXPECT_EQ(read->changes[0].bytes, 100);
  EXPECT_EQ(read->changes[0].category, 0);
  EXPECT_EQ(read->changes[1].time_ns, 1'000'000);
  EXPECT_EQ(read->changes[1].bytes, 20);
  EXPECT_EQ(read->changes[1].category, 2);
  EXPECT_EQ(read->changes[1].action, 2);
  EXPECT_EQ(read->changes[2].bytes, -100);
  EXPECT_EQ(read->changes[2].action, 4);
}

// Four times are no row of four numbers.
TEST(MemoryTimeline, LevelsOfAnyCount) {
  for (int count = 0; count < 6; ++count) {
    std::string times, levels;
    for (int i = 0; i < count; ++i) {
      times += (i == 0 ? "" : ", ") + std::to_string(10 + i);
      levels += (i == 0 ? "[0, " : ", [0, ") + std::to_string(i + 1) + ", 0, 0, 0, 0, 0, 0, 0]";
    }
    const auto read = ReadText("[[" + times + "], [" + levels + "]]");
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->changes.size(), static_cast<std::size_t>(count));
  }
}

TEST(MemoryTimeline, WhatIsNoLevelIsTold) {
  const auto error = [](std::string_view text) { return ReadText(text).status().message(); };
  EXPECT_THAT(error("[[5], [[0, 1]]]"), HasSubstr("a level has not nine sizes"));
  EXPECT_THAT(error("[[5, 6], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]"), HasSubstr("fewer levels"));
  EXPECT_THAT(error("[[5], [[0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0]]]"),
              HasSubstr("more levels"));
  EXPECT_THAT(error("[[5], [[0, 1, 0, 0, 0, 0"), HasSubstr("cut off"));
  EXPECT_THAT(error("[[9223372036854775807], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]"),
              HasSubstr("no time"));
}

TEST(MemoryTimeline, RowsCrossTheBuffer) {
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i)
    text +=
        (i == 0 ? "[" : ", [") + std::to_string(1000 + i) + ", 2, " + std::to_string(i) + ", 4]";
  const auto read = ReadText(text + "]");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->changes.size(), 20'000u);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(read->changes[static_cast<std::size_t>(i)].bytes, i);
    ASSERT_EQ(read->changes[static_cast<std::size_t>(i)].time_ns, 1000 + i);
  }
}

TEST(MemoryTimeline, WhatIsNoRowIsTold) {
  const auto error = [](std::string_view text) { return ReadText(text).status().message(); };
  EXPECT_EQ(error("[[1, 1, 5"), "timeline.json: byte 9: the memory timeline is cut off");
  EXPECT_THAT(error("[[1, 1, 5, 8]]"), HasSubstr("no category"));
  EXPECT_THAT(error("[[1, 9, 5, 7]]"), HasSubstr("no action"));
  EXPECT_THAT(error("[[-2, 1, 5, 7]]"), HasSubstr("no time"));
  EXPECT_THAT(error("[[1, 1, 99999999999999999, 7]]"), HasSubstr("no size"));
  EXPECT_THAT(error("[[1, 1, 99999999999999999999999999, 7]]"), HasSubstr("a whole number"));
  EXPECT_THAT(error("[[1, 1, 5.5, 7]]"), HasSubstr("',' or ']' is missing"));
  EXPECT_THAT(error("[[1, 1, 5, 7] 3]"), HasSubstr("',' or ']' is missing"));
  EXPECT_THAT(error("{}"), HasSubstr("'[' is missing"));
}

}  // namespace
}  // namespace rankscope::memory_timeline
