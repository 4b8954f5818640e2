#include "report/base/table_view.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

struct OfEveryType : Schema<OfEveryType> {
  static constexpr std::string_view kName = "t";

  IntColumn whole = Int("whole");
  RealColumn real = Real("real");
  StringColumn text = Text("text");
  FlagColumn flag = Flag("flag");
};

TEST(RowsOf, NullReadsAsUnknown) {
  const auto& columns = SchemaOf<OfEveryType>();
  auto table = columns.NewTable("t");
  table.Add({columns.whole = 7, columns.real = 1.5, columns.text = "x", columns.flag = true});
  table.Add({});
  const RowsOf<OfEveryType> rows(&table);
  EXPECT_EQ(rows.rows(), 2u);
  EXPECT_EQ(rows.Int(0, rows->whole), 7);
  EXPECT_EQ(rows.Number(0, rows->whole), 7.0);
  EXPECT_EQ(rows.Number(0, rows->real), 1.5);
  EXPECT_EQ(rows.String(0, rows->text), "x");
  EXPECT_TRUE(rows.Flag(0, rows->flag));

  EXPECT_EQ(rows.Int(1, rows->whole), std::nullopt);
  EXPECT_EQ(rows.Number(1, rows->whole), std::nullopt);
  EXPECT_EQ(rows.Number(1, rows->real), std::nullopt);
  EXPECT_EQ(rows.String(1, rows->text), "");
  EXPECT_FALSE(rows.Flag(1, rows->flag));
}

TEST(RowsOf, NoTableOrOneOfOtherColumnsIsEmpty) {
  Report report;
  EXPECT_TRUE(RowsOf<OfEveryType>(report).empty());
  report.tables.emplace_back("t", std::vector<ColumnSpec>{{.name = "whole"}});
  report.tables.back().AddRow({std::int64_t{7}});
  EXPECT_TRUE(RowsOf<OfEveryType>(report).empty());
}

}  // namespace
}  // namespace rankscope
