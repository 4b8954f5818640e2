#include "replay/columns/narrow_column.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope {
namespace {

TEST(NarrowColumn, WidensWhereANumberNeedsIt) {
  const std::vector<std::uint32_t> numbers = {0, 255, 256, 65'535, 65'536, UINT32_MAX, 1};
  NarrowColumn column;
  for (const std::uint32_t number : numbers) column.PushBack(number);
  ASSERT_EQ(column.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(column[i], numbers[i]);
}

TEST(NarrowColumn, RowsAreSetAndAdded) {
  NarrowColumn column;
  column.Resize(3);
  column.Set(1, 7);
  column.Set(2, 70'000);
  EXPECT_EQ(column[0], 0U);
  EXPECT_EQ(column[1], 7U);
  EXPECT_EQ(column[2], 70'000U);
  column.Set(0, 300);
  column.Resize(4);
  EXPECT_EQ(column[0], 300U);
  EXPECT_EQ(column[3], 0U);
  EXPECT_EQ(column.size(), 4U);
}

}  // namespace
}  // namespace rankscope
