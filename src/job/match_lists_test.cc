#include "job/match_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/units_for_test.h"

namespace rankscope {
namespace {

// Begins of collectives, unevenly apart as computing between them is.
std::vector<ListEntry> Unevenly(std::size_t count, std::uint64_t seed = 3) {
  std::mt19937_64 random(seed);
  std::vector<ListEntry> list;
  std::int64_t t = 0;
  for (std::size_t i = 0; i < count; ++i) {
    t += 500 * kUs + static_cast<std::int64_t>(random() % (500 * kUs));
    list.push_back({.end_ns = t, .kind = 1, .ends_together = true});
  }
  return list;
}

// What another rank recorded of them, its clock ahead.
std::vector<ListEntry> Ahead(std::vector<ListEntry> list, std::int64_t ahead_ns) {
  std::mt19937_64 random(5);
  for (ListEntry& entry : list)
    entry.end_ns += ahead_ns + static_cast<std::int64_t>(random() % (2 * kUs));
  return list;
}

template <typename... Index>
std::vector<ListEntry> Without(std::vector<ListEntry> list, Index... from_behind) {
  (list.erase(list.begin() + from_behind), ...);
  return list;
}

std::string TextMatchLists(const ListMatch& match) {
  std::string text;
  for (const std::uint32_t to : match.to) {
    if (!text.empty()) text += ' ';
    text += to == ListMatch::kNone ? "-" : std::to_string(to);
  }
  return text;
}

std::vector<ListEntry> Kinds(std::string_view kinds) {
  std::vector<ListEntry> list;
  for (const char kind : kinds) {
    list.push_back({.end_ns = 1000 * kUs * static_cast<std::int64_t>(list.size()),
                    .kind = static_cast<std::uint64_t>(kind),
                    .ends_together = true});
  }
  return list;
}

TEST(MatchList, ListsThatAgree) {
  const auto list = Unevenly(5);
  const ListMatch match = MatchList(list, Ahead(list, 50'000 * kUs));
  EXPECT_EQ(TextMatchLists(match), "0 1 2 3 4");
  EXPECT_NEAR(static_cast<double>(match.ahead_ns), 50e6, 2e3);
}

// All are of one kind and both lists are equally long: only the ends tell that the second rank lost
// its first collective and has one more at the end.
TEST(MatchList, OneLostFirstAndOneMoreLast) {
  for (const std::size_t count : {6, 40, 300}) {
    for (const std::int64_t ahead : {std::int64_t{0}, -50'000 * kUs, 3 * kUs}) {
      const auto all = Unevenly(count + 1);
      const auto master = Without(all, static_cast<std::ptrdiff_t>(count));
      const ListMatch match = MatchList(master, Ahead(Without(all, 0), ahead));
      for (std::size_t i = 0; i + 1 < count; ++i) EXPECT_EQ(match.to[i], i + 1) << count;
      EXPECT_EQ(match.to[count - 1], ListMatch::kNone) << count;
    }
  }
}

// Marks of steps say the same of collectives that follow each other evenly.
TEST(MatchList, StepsSayWhichWereLost) {
  std::vector<ListEntry> master;
  for (int i = 0; i < 12; ++i)
    master.push_back({.step = i / 3, .end_ns = 1000 * kUs * i, .kind = 1, .ends_together = true});
  // Two of step 0 were lost, two of step 4 were recorded; the clock is off by two collectives.
  auto list = Without(master, 1, 0);
  list.push_back({.step = 4, .end_ns = 12'000 * kUs, .kind = 1, .ends_together = true});
  list.push_back({.step = 4, .end_ns = 13'000 * kUs, .kind = 1, .ends_together = true});
  for (ListEntry& entry : list) entry.end_ns -= 2000 * kUs;
  EXPECT_EQ(TextMatchLists(MatchList(master, list)), "2 3 4 5 6 7 8 9 10 11 - -");
}

TEST(MatchList, LostInTheMiddle) {
  const auto all = Unevenly(9);
  EXPECT_EQ(TextMatchLists(MatchList(all, Ahead(Without(all, 6, 2), 700 * kUs))), "0 1 3 4 5 7 8");
  // The master may be the one that lost some.
  EXPECT_EQ(TextMatchLists(MatchList(Without(all, 6, 2), Ahead(all, 700 * kUs))),
            "0 1 - 2 3 4 - 5 6");
}

// As many on both: one lost its first seven, the other every twentieth, so that no shift of one
// list fits but a part of the other. Their clocks are apart by many collectives, and drift.
TEST(MatchList, EachLostOthers) {
  for (const bool has_steps : {false, true}) {
    auto all = Unevenly(140);
    for (std::size_t i = 0; has_steps && i < all.size(); ++i)
      all[i].step = static_cast<std::int64_t>(i / 35);
    std::vector<ListEntry> master;
    std::vector<ListEntry> list;
    std::vector<std::size_t> master_numbers;
    std::vector<std::size_t> numbers;
    const auto other = Ahead(all, -40'000 * kUs);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= 7) {
        master.push_back(all[i]);
        master_numbers.push_back(i);
      }
      if (i % 20 == 9) continue;
      list.push_back(other[i]);
      list.back().end_ns += all[i].end_ns / 50'000;  // 20 ppm
      numbers.push_back(i);
    }
    ASSERT_EQ(master.size(), list.size());
    const ListMatch match = MatchList(master, list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool is_lost = numbers[i] < 7;
      ASSERT_EQ(match.to[i] == ListMatch::kNone, is_lost) << i;
      EXPECT_TRUE(is_lost || master_numbers[match.to[i]] == numbers[i]) << i;
    }
  }
}

// A step of which one rank recorded nothing.
TEST(MatchList, AStepLess) {
  std::vector<ListEntry> master;
  for (int i = 0; i < 9; ++i)
    master.push_back({.step = i / 3, .end_ns = 1000 * kUs * i, .kind = 1, .ends_together = true});
  EXPECT_EQ(TextMatchLists(MatchList(master, Without(master, 2, 1, 0))), "3 4 5 6 7 8");
  EXPECT_EQ(TextMatchLists(MatchList(master, Without(master, 5, 4, 3))), "0 1 2 6 7 8");
}

// The last collective of step 0 counts to step 1 on the second rank, whose mark lies before it.
TEST(MatchList, AMarkThatLiesElsewhere) {
  std::vector<ListEntry> master;
  for (int i = 0; i < 9; ++i)
    master.push_back({.step = i / 3, .end_ns = 1000 * kUs * i, .kind = 1, .ends_together = true});
  auto list = master;
  list[2].step = 1;
  EXPECT_EQ(TextMatchLists(MatchList(master, list)), "0 1 2 3 4 5 6 7 8");
}

// One per step: the first rank lost that of step 1, the second that of step 2. What nothing but
// order would join stays apart.
TEST(MatchList, NeighboursOfTwoSteps) {
  for (const bool ends_together : {false, true}) {
    std::vector<ListEntry> all = Unevenly(6);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].step = static_cast<std::int64_t>(i);
      all[i].ends_together = ends_together;
    }
    EXPECT_EQ(TextMatchLists(MatchList(Without(all, 1), Ahead(Without(all, 2), 9000 * kUs))),
              "0 - 2 3 4");
  }
}

// Numbers of steps that have nothing to do with each other, and lists without any.
TEST(MatchList, StepsOfOtherNumbers) {
  auto master = Unevenly(6);
  auto list = Ahead(Without(master, 0), 0);
  for (std::size_t i = 0; i < master.size(); ++i) master[i].step = static_cast<std::int64_t>(i / 3);
  EXPECT_EQ(TextMatchLists(MatchList(master, list)), "1 2 3 4 5");
  for (ListEntry& entry : list) entry.step = 70;
  EXPECT_EQ(TextMatchLists(MatchList(master, list)), "1 2 3 4 5");
}

TEST(MatchList, KindsAlone) {
  EXPECT_EQ(TextMatchLists(MatchList(Kinds("abcabc"), Kinds("cabc"))), "2 3 4 5");
  EXPECT_EQ(TextMatchLists(MatchList(Kinds("aabb"), Kinds("abb"))), "1 2 3");
  // x stands alone between matches; y and z are one more than there is.
  EXPECT_EQ(TextMatchLists(MatchList(Kinds("abcd"), Kinds("axcd"))), "0 1 2 3");
  EXPECT_EQ(TextMatchLists(MatchList(Kinds("abcd"), Kinds("ayzcd"))), "0 - - 2 3");
  EXPECT_EQ(TextMatchLists(MatchList({}, Kinds("ab"))), "- -");
  EXPECT_EQ(TextMatchLists(MatchList(Kinds("ab"), {})), "");
}

// A clock that was set during the recording breaks the line; order still says what is the same.
TEST(MatchList, AClockThatWasSet) {
  const auto master = Unevenly(60);
  auto list = master;
  for (std::size_t i = 30; i < 60; ++i) list[i].end_ns += 5000 * kUs;
  const ListMatch match = MatchList(master, list);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(match.to[i], i);
}

TEST(MatchList, LongRecordingsThatOverlapInPart) {
  const auto all = Unevenly(20'200);
  const std::span<const ListEntry> entries(all);
  const auto other = Ahead(all, 40'000 * kUs);
  const auto list = std::span<const ListEntry>(other).subspan(200);
  const ListMatch match = MatchList(entries.first(20'000), list);
  for (std::size_t i = 0; i < list.size(); ++i)
    ASSERT_EQ(match.to[i], i < 19'800 ? i + 200 : ListMatch::kNone) << i;
}

// Whatever the lists are: matches ascend, and nothing is matched twice.
TEST(MatchList, MatchesAscendWhateverTheListsAre) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t kinds = 1 + random() % 3;
    const std::uint64_t steps = 1 + random() % 6;
    const std::uint64_t scale = std::uint64_t{1} << (random() % 63);
    const auto list_of = [&](std::int64_t size) {
      std::vector<ListEntry> list;
      std::int64_t step = below(3);
      for (std::int64_t i = 0; i < size; ++i) {
        if (below(4) == 0) step += below(steps);
        list.push_back({.step = below(20) == 0 ? ListEntry::kBehind : step,
                        .end_ns = below(scale) - static_cast<std::int64_t>(scale / 2),
                        .kind = static_cast<std::uint64_t>(below(kinds)),
                        .ends_together = below(8) != 0});
      }
      const auto by_end = [](const ListEntry& a, const ListEntry& b) {
        return a.end_ns < b.end_ns;
      };
      if (round % 2 == 0) std::sort(list.begin(), list.end(), by_end);
      return list;
    };
    const auto master = list_of(below(80));
    const auto list = list_of(below(80));
    const ListMatch match = MatchList(master, list);
    ASSERT_EQ(match.to.size(), list.size());
    std::int64_t last = -1;
    for (const std::uint32_t to : match.to) {
      if (to == ListMatch::kNone) continue;
      ASSERT_GT(std::int64_t{to}, last) << round;
      ASSERT_LT(to, master.size()) << round;
      last = to;
    }
  }
}

TEST(MatchList, TimesAtTheEndsOfTime) {
  const std::vector<ListEntry> list = {{.end_ns = INT64_MIN, .kind = 1, .ends_together = true},
                                       {.end_ns = 0, .kind = 1, .ends_together = true},
                                       {.end_ns = INT64_MAX, .kind = 1, .ends_together = true}};
  std::vector<ListEntry> backwards(list.rbegin(), list.rend());
  EXPECT_EQ(MatchList(list, backwards).to.size(), 3U);
  EXPECT_EQ(MatchList(backwards, Without(list, 0)).to.size(), 2U);
}

}  // namespace
}  // namespace rankscope
