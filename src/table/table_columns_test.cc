#include "table/table_columns.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(TableColumns, HasTheCellsOfEachType) {
  Table table("t", {{.name = "number", .unit = "ns", .doc = "One."},
                    {.name = "real", .type = ColumnType::kDouble},
                    {.name = "text", .type = ColumnType::kString},
                    {.name = "flag", .type = ColumnType::kBool}});
  table.AddRow({std::int64_t{7}, 0.5, std::string_view("ab"), true});
  table.AddRow({kNull, kNull, kNull, kNull});
  table.AddRow({std::int64_t{-1}, 2.0, std::string_view("c"), false});
  const std::vector<TakenColumn> columns = TableColumns::Take(std::move(table));
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[0].spec.unit, "ns");
  EXPECT_EQ(columns[0].spec.doc, "One.");
  EXPECT_EQ(columns[0].ints, (std::vector<std::int64_t>{7, 0, -1}));
  EXPECT_EQ(columns[1].doubles, (std::vector<double>{0.5, 0, 2}));
  EXPECT_EQ(columns[2].text, "abc");
  EXPECT_EQ(columns[2].text_end, (std::vector<std::uint64_t>{2, 2, 3}));
  EXPECT_EQ(columns[3].ints, (std::vector<std::int64_t>{1, 0, 0}));
  for (const TakenColumn& column : columns)
    EXPECT_EQ(column.null, (std::vector<bool>{false, true, false}));
}

TEST(TableColumns, CopiesNoCell) {
  Table table("t", {{.name = "number"}});
  for (std::int64_t i = 0; i < 1000; ++i) table.AddRow({i});
  Table copy = table;
  const std::vector<TakenColumn> columns = TableColumns::Take(std::move(table));
  EXPECT_EQ(columns[0].ints.size(), 1000U);
  EXPECT_EQ(copy.Int(999, 0), 999);
}

TEST(TableColumns, ATableWithoutColumnsHasNone) { EXPECT_TRUE(TableColumns::Take({}).empty()); }

}  // namespace
}  // namespace rankscope
