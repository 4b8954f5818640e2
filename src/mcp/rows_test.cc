#include "mcp/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/fields.h"

namespace rankscope::mcp {
namespace {

using ::testing::HasSubstr;

Table Names(std::size_t rows, const std::string& name) {
  Table table("names", {{.name = "name", .type = ColumnType::kString},
                        {.name = "total_ns", .type = ColumnType::kInt64, .unit = "ns"}});
  for (std::size_t row = 0; row < rows; ++row)
    table.AddRow({std::string_view(name), static_cast<std::int64_t>(row)});
  return table;
}

TEST(Rows, AllOfThem) {
  Table table = Names(1, "a");
  table.AddRow({kNull, kNull});
  EXPECT_EQ(json::ToJson(RowsResultOf({.table = table, .row_count = 2})),
            R"({"table":"names","columns":[{"name":"name","type":"string"},)"
            R"({"name":"total_ns","type":"int64","unit":"ns"}],)"
            R"("rows":[["a",0],[null,null]],"row_count":2})");
}

TEST(Rows, RealsAreRounded) {
  Table table("t", {{.name = "share", .type = ColumnType::kDouble}});
  for (const double share : {35.342853623, 1e-300, -1234567.8}) table.AddRow({share});
  const RowsResult result = RowsResultOf({.table = table, .row_count = 3});
  EXPECT_EQ(result.rows[0][0].text, "35.3429");
  EXPECT_EQ(result.rows[1][0].text, "1e-300");
  EXPECT_EQ(result.rows[2][0].text, "-1234568");
}

TEST(Rows, SayThatThereAreMore) {
  const RowsResult result = RowsResultOf({.table = Names(2, "a"), .row_count = 70});
  EXPECT_EQ(result.left_out, "2 of 70 rows: filter, sort, or take a higher limit (up to 1000)");
}

TEST(Rows, AreBoundedInBytes) {
  const RowsResult result =
      RowsResultOf({.table = Names(1000, std::string(900, 'x')), .row_count = 1000});
  EXPECT_GT(result.rows.size(), 50u);
  EXPECT_LT(json::ToJson(result).size(), kMostAnswerBytes + 1000);
  EXPECT_THAT(*result.left_out, HasSubstr("name columns, filter or aggregate"));
}

TEST(Rows, LongTextsAreCutBetweenCharacters) {
  std::string text(999, 'x');
  text += "\xc3\xa4 and more";  // two bytes, of which one would be left
  const RowsResult result = RowsResultOf({.table = Names(1, text), .row_count = 1});
  EXPECT_EQ(result.rows[0][0].text, "\"" + std::string(999, 'x') + "... (1010 bytes)\"");
}

TEST(Rows, OfJsonAreThoseOfTables) {
  Table table = Names(3, std::string(1001, 'x'));
  const std::string json = R"({"columns":[{"name":"name","type":"string","unit":""},)"
                           R"({"name":"total_ns","type":"int64","unit":"ns"}],"rows":[[")" +
                           std::string(1001, 'x') + R"(",0],[null,1.23456789],["b",true]]})";
  const auto read = json::Reader::Parse(json);
  ASSERT_TRUE(read.ok());
  const auto result = RowsResultOf("names", read->root(), 2);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->rows[0], RowsResultOf({.table = table, .row_count = 3}).rows[0]);
  EXPECT_EQ(result->rows[1][1].text, "1.23457");
  EXPECT_EQ(result->rows.size(), 2u);
  EXPECT_EQ(result->row_count, 3);
  EXPECT_THAT(*result->left_out, HasSubstr("2 of 3 rows"));
  EXPECT_EQ(result->columns[1].unit, "ns");
  EXPECT_EQ(RowsResultOf("names", read->root()["rows"], 2).status().code(), StatusCode::kBadData);
}

}  // namespace
}  // namespace rankscope::mcp
