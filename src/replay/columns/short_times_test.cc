#include "replay/columns/short_times.h"

#include <gtest/gtest.h>

#include "replay/columns/changed_values.h"
#include "replay/columns/near_times.h"

namespace rankscope {
namespace {

constexpr std::int64_t kLong = std::int64_t{1} << 40;

TEST(ShortTimes, HoldLongOnesToo) {
  ShortTimes times;
  times.Resize(5);
  times.Set(1, -7);
  times.Set(2, kLong);
  times.Set(3, INT32_MIN);
  times.Set(4, INT64_MAX);
  EXPECT_EQ(times[0], 0);
  EXPECT_EQ(times[1], -7);
  EXPECT_EQ(times[2], kLong);
  EXPECT_EQ(times[3], INT32_MIN);
  EXPECT_EQ(times[4], INT64_MAX);
  times.Set(2, 3);
  EXPECT_EQ(times[2], 3);
}

TEST(NearTimes, HoldWhatIsFarToo) {
  NearTimes times(200);
  EXPECT_EQ(times[199], 0);
  times.Set(70, kLong);
  times.Set(71, kLong - 5);
  times.Set(72, -kLong);
  times.Set(130, INT64_MIN);
  times.Set(131, 7);
  EXPECT_EQ(times[70], kLong);
  EXPECT_EQ(times[71], kLong - 5);
  EXPECT_EQ(times[72], -kLong);
  EXPECT_EQ(times[130], INT64_MIN);
  EXPECT_EQ(times[131], 7);
  times.Set(140, INT64_MAX);
  times.Set(1, INT64_MAX);
  times.Set(2, -INT64_MAX);
  EXPECT_EQ(times[140], INT64_MAX);
  EXPECT_EQ(times[1], INT64_MAX);
  EXPECT_EQ(times[2], -INT64_MAX);
}

TEST(ChangedTimes, AreAsRecordedWhereNothingIsSet) {
  constexpr std::size_t kCount = 40;
  const auto recorded = [](std::size_t row) { return row == 3 ? kLong : std::int64_t{10}; };
  ChangedTimes times;
  EXPECT_FALSE(times.IsHeld(3));
  times.Set(5, -kLong, kCount, recorded);
  EXPECT_TRUE(times.IsHeld(3)) << "they share a page";
  EXPECT_FALSE(times.IsHeld(20));
  EXPECT_EQ(times.Read(3, kLong), kLong);
  EXPECT_EQ(times.Read(4, 10), 10);
  EXPECT_EQ(times.Read(5, 10), -kLong);
  EXPECT_EQ(times.Read(20, 10), 10);
  std::int64_t rows = 0;
  std::int64_t changed = 0;
  times.ForEach(kCount, [&](std::size_t row, std::int64_t ns) {
    ++rows;
    changed += ns == recorded(row) ? 0 : 1;
  });
  EXPECT_EQ(rows, 16);
  EXPECT_EQ(changed, 1);
}

}  // namespace
}  // namespace rankscope
