#include "base/interval.h"

#include <gtest/gtest.h>

#include <random>

namespace rankscope {
namespace {

TEST(Interval, NormaliseMergesTouchingAndDropsEmpty) {
  EXPECT_EQ(Normalise({{5, 7}, {1, 3}, {3, 4}, {9, 9}, {8, 6}, {6, 10}}),
            (IntervalSet{{1, 4}, {5, 10}}));
}

TEST(Interval, ByHand) {
  const IntervalSet a{{0, 10}, {20, 30}};
  const IntervalSet b{{5, 25}, {28, 29}};
  EXPECT_EQ(Unite(a, b), (IntervalSet{{0, 30}}));
  EXPECT_EQ(Intersect(a, b), (IntervalSet{{5, 10}, {20, 25}, {28, 29}}));
  EXPECT_EQ(Subtract(a, b), (IntervalSet{{0, 5}, {25, 28}, {29, 30}}));
  EXPECT_EQ(Clip(a, {5, 22}), (IntervalSet{{5, 10}, {20, 22}}));
  EXPECT_EQ(Total(a), 20);
}

// Against a bitmap: every operation on random sets equals the same operation nanosecond by
// nanosecond.
TEST(Interval, EqualsBitmapOnRandomSets) {
  constexpr int kSpan = 64;
  std::mt19937 random(7);
  const auto make = [&] {
    std::vector<Interval> raw;
    for (int i = 0; i < 6; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % kSpan);
      raw.push_back({begin, begin + static_cast<std::int64_t>(random() % 12)});
    }
    return Normalise(raw);
  };
  const auto covers = [](const IntervalSet& set, std::int64_t t) {
    for (const Interval& i : set) {
      if (i.begin <= t && t < i.end) return true;
    }
    return false;
  };
  for (int round = 0; round < 500; ++round) {
    const IntervalSet a = make();
    const IntervalSet b = make();
    const Interval window{static_cast<std::int64_t>(random() % kSpan),
                          static_cast<std::int64_t>(random() % kSpan)};
    for (std::int64_t t = 0; t < kSpan + 12; ++t) {
      const bool in_a = covers(a, t);
      const bool in_b = covers(b, t);
      ASSERT_EQ(covers(Unite(a, b), t), in_a || in_b);
      ASSERT_EQ(covers(Intersect(a, b), t), in_a && in_b);
      ASSERT_EQ(covers(Subtract(a, b), t), in_a && !in_b);
      ASSERT_EQ(covers(Clip(a, window), t), in_a && window.begin <= t && t < window.end);
    }
    ASSERT_EQ(Total(a) + Total(b), Total(Unite(a, b)) + Total(Intersect(a, b)));
  }
}

// From one bound of what a time may be to the other is more than an int64 holds.
TEST(Total, OfAbsurdTimesIsTheMost) {
  const IntervalSet set = {{INT64_MIN / 2, INT64_MAX / 2 + 1}, {INT64_MAX - 5, INT64_MAX}};
  EXPECT_EQ(Total(set), INT64_MAX);
}

}  // namespace
}  // namespace rankscope
