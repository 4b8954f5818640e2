#include "trace/strings.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

TEST(StringTable, BeginsWithTheEmptyString) {
  const StringTable table;
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.Get(kEmptyString), "");
}

TEST(StringTable, AppendAndGet) {
  StringTable table;
  EXPECT_EQ(table.Append("a"), 1U);
  EXPECT_EQ(table.Append(std::string_view("x\0y", 3)), 2U);
  for (std::uint32_t i = 3; i < 3000; ++i) EXPECT_EQ(table.Append(std::to_string(i)), i);
  EXPECT_EQ(table.Get(1), "a");
  EXPECT_EQ(table.Get(2), std::string_view("x\0y", 3));
  EXPECT_EQ(table.Get(3), "3");
  EXPECT_EQ(table.Get(2999), "2999");
  EXPECT_EQ(table.size(), 3000U);
}

TEST(StringTable, ViewsItsColumns) {
  StringTable owner;
  owner.Append("one");
  owner.Append("three");
  const StringTable view(Column<char>::View(owner.text().span()),
                         Column<std::uint64_t>::View(owner.ends().span()));
  EXPECT_EQ(view.Get(kEmptyString), "");
  EXPECT_EQ(view.Get(1), "one");
  EXPECT_EQ(view.Get(2), "three");
}

}  // namespace
}  // namespace rankscope
