#include "job/split_sizes.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

using Splits = std::vector<std::int64_t>;

TEST(SplitSizes, OfTheText) {
  EXPECT_EQ(SplitsOf("[12, 0, 4]", 16, 3), (Splits{12, 0, 4}));
  EXPECT_EQ(SplitsOf("[12, 0, 4]", 16, 4), Splits{});  // not of so many members
  EXPECT_EQ(SplitsOf("[12, 0, ...]", 16, 3), Splits{});
  EXPECT_EQ(SplitsOf("what", 16, 1), Splits{});
}

TEST(SplitSizes, EvenWithoutText) {
  EXPECT_EQ(SplitsOf("", 12, 3), (Splits{4, 4, 4}));
  EXPECT_EQ(SplitsOf("", 13, 3), Splits{});
  EXPECT_EQ(SplitsOf("", -1, 3), Splits{});
  EXPECT_EQ(SplitsOf("", 0, INT64_MAX), Splits{});
  EXPECT_EQ(SplitsOf("", 3, 0), Splits{});
}

}  // namespace
}  // namespace rankscope
