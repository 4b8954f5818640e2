#include "table/write_csv.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

using Record = std::vector<std::optional<std::string>>;

// RFC 4180 read back; an unquoted empty field is null.
std::vector<Record> Parse(std::string_view csv) {
  std::vector<Record> records;
  std::size_t at = 0;
  while (at < csv.size()) {
    Record record;
    for (bool more = true; more;) {
      std::optional<std::string> field;
      if (csv[at] == '"') {
        field.emplace();
        for (++at; csv[at] != '"' || csv.substr(at, 2) == "\"\""; ++at) {
          if (csv[at] == '"') ++at;
          *field += csv[at];
        }
        ++at;
      } else {
        const std::size_t end = csv.find_first_of(",\r", at);
        if (end != at) field = csv.substr(at, end - at);
        at = end;
      }
      record.push_back(field);
      more = csv[at] == ',';
      at += more ? 1 : 2;
    }
    records.push_back(record);
  }
  return records;
}

std::optional<std::string> Raw(const Table& table, std::size_t row, std::size_t column) {
  if (table.IsNull(row, column)) return std::nullopt;
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      return std::to_string(table.Int(row, column));
    case ColumnType::kBool:
      return table.Bool(row, column) ? "true" : "false";
    default:
      return std::string(table.String(row, column));
  }
}

TEST(WriteCsv, WritesRawValues) {
  Table table("t", {{.name = "rank", .type = ColumnType::kInt64, .unit = "ns"},
                    {.name = "busy", .type = ColumnType::kDouble, .unit = "%"},
                    {.name = "name", .type = ColumnType::kString},
                    {.name = "slow", .type = ColumnType::kBool}});
  table.AddRow({std::int64_t{1234567}, 0.1, "plain name", true});
  table.AddRow({kNull, kNull, kNull, kNull});
  table.AddRow({std::int64_t{-1}, 1e100, "", false});
  table.AddRow({std::int64_t{0}, 2.0, "a,\"b\"\r\nc", false});
  EXPECT_EQ(WriteCsv(table),
            "rank,busy,name,slow\r\n"
            "1234567,0.1,plain name,true\r\n"
            ",,,\r\n"
            "-1,1e+100,\"\",false\r\n"
            "0,2,\"a,\"\"b\"\"\r\nc\",false\r\n");
}

TEST(WriteCsv, WithoutRowsIsAHeader) {
  EXPECT_EQ(WriteCsv(Table("t", {{.name = "a,b"}, {.name = "c"}})), "\"a,b\",c\r\n");
}

TEST(WriteCsv, ReadsBack) {
  RandomTables random(7);
  for (int round = 0; round < 300; ++round) {
    const Table table = random.Make(30);
    const std::vector<Record> records = Parse(WriteCsv(table));
    ASSERT_EQ(records.size(), table.row_count() + 1);
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const Record& record = records[row + 1];
      ASSERT_EQ(record.size(), table.column_count());
      for (std::size_t column = 0; column < table.column_count(); ++column) {
        if (table.columns()[column].type == ColumnType::kDouble && record[column].has_value()) {
          EXPECT_EQ(std::strtod(record[column]->c_str(), nullptr), table.Double(row, column));
        } else {
          EXPECT_EQ(record[column], Raw(table, row, column));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rankscope
