#include "trace/quality.h"

#include <gtest/gtest.h>

#include <set>

namespace rankscope {
namespace {

TEST(QualityLog, EqualProblemsShareAnEntryWithTheFirstPlace) {
  QualityLog log;
  log.Add(QualityCode::kBadEvent, 50, "bad");
  log.Add(QualityCode::kBadEvent, 20, "bad", 3);
  log.Add(QualityCode::kBadEvent, 70, "bad");
  log.Add(QualityCode::kBadEvent, 10, "bad in another way");
  log.Add(QualityCode::kInvalidJson, 5, "bad");
  ASSERT_EQ(log.entries().size(), 3U);
  EXPECT_EQ(log.entries()[0].byte, 20);
  EXPECT_EQ(log.entries()[0].count, 5);
}

TEST(QualityLog, AKnownPlaceIsBetterThanNone) {
  QualityLog log;
  log.Add(QualityCode::kBadEvent, -1, "bad");
  log.Add(QualityCode::kBadEvent, 40, "bad");
  log.Add(QualityCode::kBadEvent, -1, "bad");
  ASSERT_EQ(log.entries().size(), 1U);
  EXPECT_EQ(log.entries()[0].byte, 40);
  EXPECT_EQ(log.entries()[0].count, 3);
}

TEST(QualityLog, MergeEqualsAddingEverything) {
  QualityLog a;
  a.Add(QualityCode::kBadEvent, 50, "bad", 2);
  QualityLog b;
  b.Add(QualityCode::kTruncated, 90, "cut");
  b.Add(QualityCode::kBadEvent, 30, "bad", 4);
  a.Merge(b);
  ASSERT_EQ(a.entries().size(), 2U);
  EXPECT_EQ(a.entries()[0].byte, 30);
  EXPECT_EQ(a.entries()[0].count, 6);
  EXPECT_EQ(a.entries()[1].message, "cut");
}

TEST(QualityLog, SortedByPlaceWholeFileLast) {
  QualityLog log;
  log.Add(QualityCode::kOther, -1, "whole file");
  log.Add(QualityCode::kOther, 100, "late");
  log.Add(QualityCode::kOther, 0, "first");
  log.Add(QualityCode::kOther, -1, "whole file too");
  const std::vector<QualityEntry> sorted = log.TakeSorted();
  ASSERT_EQ(sorted.size(), 4U);
  EXPECT_EQ(sorted[0].message, "first");
  EXPECT_EQ(sorted[1].message, "late");
  EXPECT_EQ(sorted[2].message, "whole file");
  EXPECT_EQ(sorted[3].message, "whole file too");
}

TEST(QualityCode, EachHasItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(QualityCode::kOther); ++i)
    names.insert(ToString(static_cast<QualityCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(QualityCode::kOther) + 1);
  EXPECT_EQ(ToString(QualityCode::kCorruptGzip), "corrupt_gzip");
  EXPECT_EQ(ToString(QualityCode::kOther), "other");
}

}  // namespace
}  // namespace rankscope
