#include "job/clock_line.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope {
namespace {

std::vector<ListEntry> Ending(std::initializer_list<std::int64_t> ends_us) {
  std::vector<ListEntry> list;
  for (const std::int64_t end : ends_us)
    list.push_back({.end_ns = end * kUs, .kind = 1, .ends_together = true});
  return list;
}

const MasterPlaces kAnywhere = [](std::size_t, auto& ranges) { ranges.emplace_back(0, 6); };

TEST(ClockLine, ThroughPairs) {
  const auto master = Ending({0, 10'000, 20'000, 30'000, 40'000, 50'000, 60'000, 70'000, 80'000});
  LineThrough through;
  EXPECT_EQ(through.Fit().ends, 0U);
  std::vector<ListEntry> list = master;
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i].end_ns += 7'000'000 + static_cast<std::int64_t>(i) * 500;  // 50 ppm
  list[4].end_ns += 900'000;
  for (std::size_t i = 0; i < list.size(); ++i) through.Add(master[i], list[i]);
  const ClockLine line = through.Fit();
  EXPECT_EQ(line.ends, 9U);
  EXPECT_NEAR(line.slope, 50e-6, 1e-9);
  EXPECT_NEAR(line.RestOf(master[8], list[8]), 0, 1);
  EXPECT_NEAR(line.RestOf(master[4], list[4]), 900'000, 1);
  EXPECT_EQ(line.ToList(master[2].end_ns), list[2].end_ns);
  EXPECT_EQ(line.ToMaster(list[2].end_ns), master[2].end_ns);
}

// By hand: 1000 us ahead, the second and fourth of the master are missing, one more follows. Of all
// differences only 1000 comes four times.
TEST(ClockLine, MostVotesWin) {
  const auto master = Ending({0, 130, 470, 900, 1700, 2100});
  const auto list = Ending({1000, 1470, 2700, 3100, 3900});
  const auto line = VoteForLine(master, list, kAnywhere);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->offset, 1'000'000);
  EXPECT_EQ(line->ends, 4U);
  EXPECT_EQ(line->spread, 0);
}

// Evenly apart, any shift has its votes: one more for the right number, and the nearest wins.
TEST(ClockLine, TheNearestAmongEquals) {
  const auto master = Ending({0, 100, 200, 300, 400, 500});
  const auto list = Ending({90, 190, 290, 390});
  EXPECT_EQ(VoteForLine(master, list, kAnywhere)->offset, -10'000);
}

TEST(ClockLine, NoLineWithoutAgreement) {
  const auto master = Ending({0, 130, 470, 900, 1700, 2100});
  EXPECT_FALSE(VoteForLine(master, Ending({5000, 5222, 6111, 7777, 9001}), kAnywhere));
  EXPECT_FALSE(VoteForLine(master, Ending({0, 130}), kAnywhere)) << "two are too few";
  auto others = master;
  for (ListEntry& entry : others) entry.kind = 2;
  EXPECT_FALSE(VoteForLine(master, others, kAnywhere));
  for (ListEntry& entry : others) entry = {.end_ns = entry.end_ns, .kind = 1};
  EXPECT_FALSE(VoteForLine(master, others, kAnywhere)) << "they do not end together";
}

}  // namespace
}  // namespace rankscope
