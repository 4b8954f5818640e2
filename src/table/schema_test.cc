#include "table/schema.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

struct Sums : Schema<Sums> {
  IntColumn step = Int("step", "", "number of the step");
  RealColumn share = Real("share_pct", "%", "of the whole");
  StringColumn name = Text("name", "of the kernel");
  FlagColumn complete = Flag("complete", "false: cut off");
};

TEST(Schema, ColumnsAreTheMembersInOrder) {
  const Sums& sums = SchemaOf<Sums>();
  ASSERT_EQ(sums.columns().size(), 4U);
  EXPECT_EQ(sums.columns()[1], (ColumnSpec{"share_pct", ColumnType::kDouble, "%", "of the whole"}));
  EXPECT_EQ(sums.BareColumns()[1], (ColumnSpec{"share_pct", ColumnType::kDouble, "", ""}));
}

TEST(Schema, HandlesWriteAndReadTheirColumns) {
  const Sums& sums = SchemaOf<Sums>();
  auto table = sums.NewTable("sums");
  table.Add({sums.name = "gemm", sums.step = 5, sums.complete = true});
  table.Add({sums.share = 12.5, sums.step = std::optional<std::int64_t>()});
  EXPECT_EQ(table.Int(0, sums.step), 5);
  EXPECT_EQ(table.String(0, sums.name), "gemm");
  EXPECT_TRUE(table.Bool(0, sums.complete));
  EXPECT_TRUE(table.IsNull(0, sums.share));
  EXPECT_EQ(table.Known(1, sums.share), 12.5);
  EXPECT_EQ(table.Known(1, sums.step), std::nullopt);
  EXPECT_EQ(table.At(1, sums.name), Value(kNull));
}

TEST(Schema, FitsTablesWithItsNamesAndTypes) {
  const Sums& sums = SchemaOf<Sums>();
  EXPECT_TRUE(sums.Fits(sums.NewPartial("any name")));
  EXPECT_FALSE(sums.Fits(Table("sums", {{"step"}})));
  std::vector<ColumnSpec> columns = sums.columns();
  columns[0].type = ColumnType::kDouble;
  EXPECT_FALSE(sums.Fits(Table("sums", columns)));
  columns[0] = {"steps"};
  EXPECT_FALSE(sums.Fits(Table("sums", columns)));
}

TEST(HasColumns, ComparesNamesTypesAndOrder) {
  constexpr std::size_t kRank = 0;
  constexpr std::size_t kShare = 1;
  constexpr std::size_t kName = 2;
  constexpr std::size_t kSlow = 3;
  std::vector<ColumnSpec> columns = {{.name = "rank", .type = ColumnType::kInt64},
                                     {.name = "share", .type = ColumnType::kDouble, .unit = "%"},
                                     {.name = "name", .type = ColumnType::kString},
                                     {.name = "slow", .type = ColumnType::kBool}};
  const Table table("ranks", columns);
  EXPECT_TRUE(HasColumns(table, columns));
  columns[kShare].unit = "of the time";
  columns[kShare].doc = "A share.";
  EXPECT_TRUE(HasColumns(table, columns)) << "units and docs are for readers";
  const auto changed = [&](const auto& change) {
    std::vector<ColumnSpec> other = columns;
    change(other);
    return HasColumns(table, other);
  };
  EXPECT_FALSE(changed([](auto& other) { other[kName].name = "label"; }));
  EXPECT_FALSE(changed([](auto& other) { other[kSlow].type = ColumnType::kInt64; }));
  EXPECT_FALSE(changed([](auto& other) { std::swap(other[kRank], other[kShare]); }));
  EXPECT_FALSE(changed([](auto& other) { other.pop_back(); }));
  EXPECT_FALSE(changed([](auto& other) { other.push_back({.name = "more"}); }));
  EXPECT_FALSE(changed([](auto& other) { other.clear(); }));
  EXPECT_TRUE(HasColumns(Table(), {}));
}

}  // namespace
}  // namespace rankscope
