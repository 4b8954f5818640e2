#include "table/table_of.h"

#include <gtest/gtest.h>

#include "table/schema.h"

namespace rankscope {
namespace {

struct Copies : Schema<Copies> {
  IntColumn bytes = Int("bytes", "bytes", "copied");
  StringColumn direction = Text("direction", "HtoD, DtoH");
};

// The same columns at the same places, of another table.
struct Memsets : Schema<Memsets> {
  IntColumn bytes = Int("bytes", "bytes", "set");
  StringColumn direction = Text("direction", "none");
};

struct TimedCopies : Schema<TimedCopies, Copies> {
  RealColumn seconds = Real("seconds", "s", "how long they took");
};

// What compiles for a table and a handle of an int64 column.
template <typename T, typename Handle>
concept CanRead = requires(const T& table, Handle column) {
  table.Int(0, column);
};
template <typename T, typename Handle>
concept CanAskForNull = requires(const T& table, Handle column) {
  table.IsNull(0, column);
};
template <typename T, typename Handle>
concept CanWrite = requires(T& table, Handle column) {
  table.Add({column = 1});
};
template <typename T, typename Handle>
concept CanSortBy = requires(T& table, Handle column) {
  table.SortBy({{column, true}});
};

using OfCopies = Copies::IntColumn;
using OfMemsets = Memsets::IntColumn;

static_assert(CanRead<TableOf<Copies>, OfCopies> && CanRead<ViewOf<Copies>, OfCopies>);
static_assert(CanWrite<TableOf<Copies>, OfCopies> && CanSortBy<TableOf<Copies>, OfCopies>);
static_assert(!CanRead<TableOf<Copies>, OfMemsets>, "another table's handle");
static_assert(!CanRead<ViewOf<Copies>, OfMemsets>);
static_assert(!CanAskForNull<ViewOf<Copies>, OfMemsets>);
static_assert(!CanWrite<TableOf<Copies>, OfMemsets>);
static_assert(!CanSortBy<TableOf<Copies>, OfMemsets>);
static_assert(!CanRead<Table, OfCopies>, "a table whose schema nobody has said");
static_assert(!CanRead<ViewOf<Copies>, std::size_t>, "a place in place of a handle");
static_assert(!CanRead<ViewOf<Copies>, Copies::StringColumn>, "a column of another type");

static_assert(CanRead<ViewOf<TimedCopies>, OfCopies>, "its first columns are those of Copies");
static_assert(CanWrite<TableOf<TimedCopies>, OfCopies>);
static_assert(!CanAskForNull<ViewOf<Copies>, TimedCopies::RealColumn>);

static_assert(std::is_convertible_v<TableOf<TimedCopies>, ViewOf<Copies>>);
static_assert(std::is_convertible_v<const Table&, ViewOf<Copies>>, "checked when it runs");
static_assert(!std::is_convertible_v<TableOf<Memsets>, ViewOf<Copies>>);
static_assert(!std::is_constructible_v<ViewOf<Copies>, ViewOf<Memsets>>);
static_assert(!std::is_convertible_v<TableOf<Copies>, ViewOf<TimedCopies>>);

TableOf<TimedCopies> ThreeCopies() {
  const auto& columns = SchemaOf<TimedCopies>();
  auto table = columns.NewTable("copies");
  table.Add({columns.bytes = 2, columns.direction = "HtoD", columns.seconds = 0.5});
  table.Add({columns.bytes = 3, columns.direction = "DtoH"});
  table.Add({columns.direction = "DtoH"});
  return table;
}

TEST(TableOf, SortsFillsAndSubtractsByHandles) {
  const auto& columns = SchemaOf<TimedCopies>();
  auto table = ThreeCopies();
  table.SortBy({{columns.direction}, {columns.bytes, true}});
  EXPECT_EQ(table.Known(0, columns.bytes), 3);
  EXPECT_EQ(table.Known(1, columns.bytes), std::nullopt) << "null is last";
  EXPECT_EQ(table.Known(2, columns.bytes), 2);
  table.Subtract(columns.bytes, 2);
  EXPECT_EQ(table.Known(0, columns.bytes), 1);
  EXPECT_EQ(table.Known(1, columns.bytes), std::nullopt);
  table.Fill(columns.bytes, 7);
  EXPECT_EQ(table.Int(1, columns.bytes), 7);
  const Table untyped = std::move(table);
  EXPECT_EQ(untyped.row_count(), 3U);
}

TEST(TableOf, RowsAreAddedInAnyOrderOfTheirCells) {
  const auto& columns = SchemaOf<TimedCopies>();
  auto table = columns.NewTable("copies");
  table.Add({columns.seconds = 2, columns.bytes = 7});
  table.Add({columns.direction = std::string_view("DtoH")});
  EXPECT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.Int(0, columns.bytes), 7);
  EXPECT_EQ(table.Double(0, columns.seconds), 2.0);
  EXPECT_TRUE(table.IsNull(0, columns.direction));
  EXPECT_TRUE(table.IsNull(1, columns.bytes));
  EXPECT_EQ(table.String(1, columns.direction), "DtoH");
}

TEST(TableOfDeathTest, RefusesTwoCellsForOneColumn) {
  const auto& columns = SchemaOf<Copies>();
  auto table = columns.NewTable("copies");
  EXPECT_DEATH(table.Add({columns.bytes = 1, columns.bytes = 2}),
               "table copies got two values for column bytes in one row");
}

TEST(ViewOf, ReadsATableOfItsColumnsAndMore) {
  const Table table = ThreeCopies();
  const ViewOf<Copies> view = table;
  EXPECT_EQ(view.row_count(), 3U);
  EXPECT_EQ(view.Int(1, SchemaOf<Copies>().bytes), 3);
  EXPECT_EQ(view.TextOrEmpty(1, SchemaOf<Copies>().direction), "DtoH");
  EXPECT_FALSE(OptionalView<Copies>(nullptr).has_value());
}

TEST(ViewOfDeathTest, RefusesATableOfOtherColumns) {
  const Table table("sizes", {{.name = "size", .type = ColumnType::kInt64},
                              {.name = "direction", .type = ColumnType::kString}});
  EXPECT_DEATH(ViewOf<Copies>{table}, "table sizes does not begin with the 2 columns");
  EXPECT_DEATH(ViewOf<TimedCopies>(TableOf<Copies>().table()), "does not begin with the 3 columns");
}

}  // namespace
}  // namespace rankscope
