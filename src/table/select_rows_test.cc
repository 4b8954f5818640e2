#include "table/select_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table/write_csv.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

Table ThreeKernels() {
  Table table("kernels", {{.name = "name", .type = ColumnType::kString},
                          {.name = "total_ns", .type = ColumnType::kInt64, .unit = "ns"},
                          {.name = "share", .type = ColumnType::kDouble}});
  table.AddRow({std::string_view("a"), std::int64_t{5}, 0.25});
  table.AddRow({std::string_view("b"), kNull, 0.25});
  table.AddRow({std::string_view("c"), std::int64_t{9}, 0.5});
  return table;
}

std::string Csv(const RowSelection& selection) {
  const Result<Table> table = SelectRows(ThreeKernels(), selection);
  return table.ok() ? WriteCsv(*table) : std::string(table.status().message());
}

TEST(SelectRows, NothingAskedLeavesTheTable) {
  const Result<Table> table = SelectRows(ThreeKernels(), {});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table, ThreeKernels());
}

TEST(SelectRows, ColumnsComeAsTheyWereAskedFor) {
  EXPECT_EQ(Csv({.columns = {"share", "name"}}), "share,name\r\n0.25,a\r\n0.25,b\r\n0.5,c\r\n");
  const Result<Table> table = SelectRows(ThreeKernels(), {.columns = {"total_ns"}});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->columns()[0].unit, "ns");
  EXPECT_EQ(table->name(), "kernels");
}

TEST(SelectRows, UnknownIsLastBothWays) {
  EXPECT_EQ(Csv({.columns = {"name"}, .sort = {"total_ns"}}), "name\r\na\r\nc\r\nb\r\n");
  EXPECT_EQ(Csv({.columns = {"name"}, .sort = {"-total_ns"}}), "name\r\nc\r\na\r\nb\r\n");
}

TEST(SelectRows, TheFirstKeyGoesFirst) {
  EXPECT_EQ(Csv({.columns = {"name"}, .sort = {"share", "-name"}}), "name\r\nb\r\na\r\nc\r\n");
}

TEST(SelectRows, SortsBeforeItCuts) {
  EXPECT_EQ(Csv({.columns = {"name"}, .sort = {"-share"}, .limit = 1}), "name\r\nc\r\n");
  EXPECT_EQ(Csv({.columns = {"name"}, .limit = 0}), "name\r\n");
  EXPECT_EQ(Csv({.columns = {"name"}, .limit = 9}), "name\r\na\r\nb\r\nc\r\n");
}

TEST(SelectRows, ColumnsThatAreNotThere) {
  EXPECT_THAT(Csv({.columns = {"totl_ns"}}),
              HasSubstr("kernels has no column 'totl_ns'; did you mean 'total_ns'?"));
  EXPECT_THAT(Csv({.sort = {"-when"}}),
              HasSubstr("kernels has no column 'when'; there are name, total_ns, share"));
}

}  // namespace
}  // namespace rankscope
