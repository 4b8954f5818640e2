#include "base/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rankscope {
namespace {

using Ints = Column<std::int32_t>;

std::vector<std::int32_t> Values(const Ints& column) { return {column.begin(), column.end()}; }

TEST(Column, Empty) {
  const Ints column;
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.size(), 0U);
  EXPECT_EQ(column.bytes(), 0U);
  EXPECT_EQ(column.begin(), column.end());
}

TEST(Column, GrowsAndKeepsItsValues) {
  Ints column;
  for (std::int32_t i = 0; i < 1'000'000; ++i) column.push_back(i * 3);
  ASSERT_EQ(column.size(), 1'000'000U);
  EXPECT_EQ(column.bytes(), 4'000'000U);
  for (std::size_t i = 0; i < column.size(); ++i)
    ASSERT_EQ(column[i], static_cast<std::int32_t>(i) * 3);
  EXPECT_EQ(column.back(), 999'999 * 3);
}

TEST(Column, ExtendAppendAssign) {
  Ints column;
  std::int32_t* to = column.extend(3);
  for (int i = 0; i < 3; ++i) to[i] = i;
  const std::vector<std::int32_t> more(2000, 7);
  column.append(more);
  column.append({});
  EXPECT_EQ(column.size(), 2003U);
  EXPECT_EQ(column[2], 2);
  EXPECT_EQ(column[3], 7);
  EXPECT_EQ(column[2002], 7);
  column.truncate(2);
  EXPECT_EQ(Values(column), (std::vector<std::int32_t>{0, 1}));
  column.assign(4, -1);
  EXPECT_EQ(Values(column), (std::vector<std::int32_t>{-1, -1, -1, -1}));
  column.clear();
  EXPECT_TRUE(column.empty());
  column.push_back(9);
  EXPECT_EQ(Values(column), (std::vector<std::int32_t>{9}));
}

// Columns go into files as they lie: no byte is what the heap held before.
TEST(Column, MemoryThatIsNotWrittenIsZero) {
  constexpr std::size_t kSmall = 10'000;
  for (int round = 0; round < 20; ++round) {
    Ints column;
    std::int32_t* const values = column.extend(kSmall);
    for (std::size_t i = 0; i < kSmall; ++i) ASSERT_EQ(values[i], 0) << round;
    for (std::size_t i = 0; i < kSmall; ++i) values[i] = -1;
    const std::int32_t* const more = column.extend(kSmall);
    for (std::size_t i = 0; i < kSmall; ++i) ASSERT_EQ(more[i], 0) << round;
    column.clear();
    column.extend(2 * kSmall)[0] = -1;
  }
}

TEST(Column, MovesLeaveAnEmptyColumn) {
  Ints a;
  a.push_back(1);
  Ints b = std::move(a);
  EXPECT_EQ(Values(b), (std::vector<std::int32_t>{1}));
  EXPECT_TRUE(a.empty());  // NOLINT: what a moved-from column is, is promised
  a.push_back(2);
  EXPECT_EQ(Values(a), (std::vector<std::int32_t>{2}));
  b = std::move(a);
  EXPECT_EQ(Values(b), (std::vector<std::int32_t>{2}));
  Ints& self = b;
  b = std::move(self);
  EXPECT_EQ(Values(b), (std::vector<std::int32_t>{2}));
}

TEST(Column, AViewReadsTheMemoryOfItsOwner) {
  std::vector<std::int32_t> owner = {1, 2, 3};
  Ints view = Ints::View(owner);
  owner[1] = 20;
  EXPECT_EQ(Values(view), (std::vector<std::int32_t>{1, 20, 3}));
  EXPECT_EQ(view.data(), owner.data());
  const Ints moved = std::move(view);
  EXPECT_EQ(moved.data(), owner.data());
}

// Beginning anew turns a view into an owner; the memory viewed stays as it was.
TEST(Column, AViewThatIsClearedOwnsWhatComesNext) {
  const std::vector<std::int32_t> owner = {1, 2, 3};
  Ints column = Ints::View(owner);
  column.assign(2, 9);
  EXPECT_EQ(Values(column), (std::vector<std::int32_t>{9, 9}));
  EXPECT_EQ(owner, (std::vector<std::int32_t>{1, 2, 3}));
  Ints empty = Ints::View({});
  empty.push_back(4);
  EXPECT_EQ(Values(empty), (std::vector<std::int32_t>{4}));
}

}  // namespace
}  // namespace rankscope
