#include "report/table_view.h"

#include <gtest/gtest.h>

#include "report/report_for_test.h"

namespace rankscope {
namespace {

TEST(TableView, WhatIsMissingReadsAsUnknown) {
  Table table = report_for_test::MakeTable("t", {"i a", "d b", "s c", "b d"});
  table.AddRow({std::int64_t{7}, 1.5, std::string_view("x"), true});
  table.AddRow({kNull, kNull, kNull, kNull});
  const TableView view(&table);
  EXPECT_EQ(view.rows(), 2u);
  EXPECT_EQ(view.Int(0, "a"), 7);
  EXPECT_EQ(view.Number(0, "a"), 7.0);
  EXPECT_EQ(view.Number(0, "b"), 1.5);
  EXPECT_EQ(view.String(0, "c"), "x");
  EXPECT_TRUE(view.Flag(0, "d"));
  EXPECT_EQ(view.FindRow("c", "x"), 0u);

  EXPECT_EQ(view.Int(1, "a"), std::nullopt);
  EXPECT_EQ(view.Number(1, "b"), std::nullopt);
  EXPECT_EQ(view.String(1, "c"), "");
  EXPECT_FALSE(view.Flag(1, "d"));
  // No such column, no such row, another type.
  EXPECT_EQ(view.Int(0, "e"), std::nullopt);
  EXPECT_EQ(view.Int(2, "a"), std::nullopt);
  EXPECT_EQ(view.Int(0, "b"), std::nullopt);
  EXPECT_EQ(view.String(0, "a"), "");
  EXPECT_EQ(view.FindRow("c", "y"), std::nullopt);
}

TEST(TableView, OfNoTableIsEmpty) {
  const TableView view(Report{}, "captures");
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(view.Int(0, "rank"), std::nullopt);
}

}  // namespace
}  // namespace rankscope
