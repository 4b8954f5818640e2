#include "table/write_json.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(WriteJson, HasColumnsAndRows) {
  Table table("t", {{.name = "rank", .type = ColumnType::kInt64},
                    {.name = "busy", .type = ColumnType::kDouble, .unit = "%", .doc = "not shown"},
                    {.name = "name", .type = ColumnType::kString},
                    {.name = "slow", .type = ColumnType::kBool}});
  table.AddRow({std::int64_t{0}, 12.5, "a \"b\"", true});
  table.AddRow({std::int64_t{1} << 60, kNull, kNull, false});
  EXPECT_EQ(WriteJson(table),
            R"({"columns":[{"name":"rank","type":"int64","unit":""},)"
            R"({"name":"busy","type":"double","unit":"%"},)"
            R"({"name":"name","type":"string","unit":""},)"
            R"({"name":"slow","type":"bool","unit":""}],)"
            R"("rows":[[0,12.5,"a \"b\"",true],["1152921504606846976",null,null,false]]})");
}

TEST(WriteJson, OfNothing) {
  EXPECT_EQ(WriteJson(Table()), R"({"columns":[],"rows":[]})");
  EXPECT_EQ(WriteJson(Table("t", {{.name = "x"}})),
            R"({"columns":[{"name":"x","type":"int64","unit":""}],"rows":[]})");
}

TEST(WriteJson, IsAMemberOfMore) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Key("t");
  WriteTableJson(writer, Table());
  WriteTableMembers(writer, Table());
  writer.Member("row_count", 0).EndObject();
  EXPECT_EQ(out, R"({"t":{"columns":[],"rows":[]},"columns":[],"rows":[],"row_count":0})");
}

}  // namespace
}  // namespace rankscope
