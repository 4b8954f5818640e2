#include "hta/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

using testing::ElementsAre;

TEST(MergeSpans, UnitesWhatOverlapsOrTouches) {
  EXPECT_THAT(MergeSpans({{30, 40}, {0, 10}, {10, 20}, {12, 15}, {21, 22}}),
              ElementsAre(Span{0, 20}, Span{21, 22}, Span{30, 40}));
  EXPECT_TRUE(MergeSpans({}).empty());
}

TEST(MergeSpans, ASpanThatEndsBeforeItBeginsCountsMinusOne) {
  const std::vector<Span> merged = MergeSpans({{0, 5}, {10, 9}, {10, 12}});
  EXPECT_THAT(merged, ElementsAre(Span{0, 5}, Span{10, 9}, Span{10, 12}));
  EXPECT_EQ(TotalOf(merged), 6);
  EXPECT_THAT(MergeSpans({{8, 12}, {10, 9}}), ElementsAre(Span{8, 12})) << "inside another";
}

TEST(Sweep, TellsWhatRunsBetweenChanges) {
  std::vector<Change> changes;
  AppendChanges({{0, 10}, {20, 30}}, 1, changes);
  AppendChanges({{5, 25}}, 2, changes);
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  Sweep(changes,
        [&](std::int64_t running, std::int64_t duration) { seen.emplace_back(running, duration); });
  EXPECT_THAT(seen, ElementsAre(std::pair(1, 5), std::pair(3, 5), std::pair(2, 10), std::pair(3, 5),
                                std::pair(1, 5)));
}

}  // namespace
}  // namespace rankscope::hta
