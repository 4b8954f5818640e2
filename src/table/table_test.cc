#include "table/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "table/random_table_for_test.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kRank = 0;
constexpr std::size_t kShare = 1;
constexpr std::size_t kName = 2;
constexpr std::size_t kSlow = 3;

Table Empty() {
  return Table("ranks", {{.name = "rank", .type = ColumnType::kInt64},
                         {.name = "share", .type = ColumnType::kDouble, .unit = "%"},
                         {.name = "name", .type = ColumnType::kString},
                         {.name = "slow", .type = ColumnType::kBool}});
}

Table ThreeRanks() {
  Table table = Empty();
  table.AddRow({std::int64_t{2}, 12.5, "two", true});
  table.AddRow({std::int64_t{0}, kNull, "", false});
  table.AddRow({kNull, std::int64_t{7}, kNull, kNull});
  return table;
}

std::vector<std::string> Names(const Table& table) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    names.emplace_back(table.IsNull(row, kName) ? "null" : table.String(row, kName));
  }
  return names;
}

TEST(Table, KeepsWhatItWasGiven) {
  const Table table = ThreeRanks();
  EXPECT_EQ(table.name(), "ranks");
  EXPECT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.column_count(), 4U);
  EXPECT_EQ(table.Int(0, kRank), 2);
  EXPECT_EQ(table.Double(0, kShare), 12.5);
  EXPECT_EQ(table.String(0, kName), "two");
  EXPECT_TRUE(table.Bool(0, kSlow));
  EXPECT_FALSE(table.Bool(1, kSlow));
  EXPECT_EQ(table.Double(2, kShare), 7.0);
  EXPECT_EQ(table.At(0, kRank), Value(std::int64_t{2}));
  EXPECT_EQ(table.At(0, kShare), Value(12.5));
  EXPECT_EQ(table.At(0, kName), Value(std::string_view("two")));
  EXPECT_EQ(table.At(0, kSlow), Value(true));
  EXPECT_EQ(table.At(2, kRank), Value(kNull));
}

TEST(Table, ToldApartNullFromZeroAndEmpty) {
  const Table table = ThreeRanks();
  EXPECT_FALSE(table.IsNull(1, kRank));
  EXPECT_TRUE(table.IsNull(1, kShare));
  EXPECT_FALSE(table.IsNull(1, kName));
  EXPECT_EQ(table.String(1, kName), "");
  EXPECT_TRUE(table.IsNull(2, kName));
  EXPECT_TRUE(table.IsNull(2, kSlow));
}

TEST(Table, StoresNumbersThatAreNoneAsNull) {
  Table table("t", {{.name = "x", .type = ColumnType::kDouble}});
  table.AddRow({std::numeric_limits<double>::quiet_NaN()});
  table.AddRow({std::numeric_limits<double>::infinity()});
  table.AddRow({-std::numeric_limits<double>::infinity()});
  for (std::size_t row = 0; row < 3; ++row) EXPECT_TRUE(table.IsNull(row, 0));
}

TEST(Table, FindsColumnsByName) {
  const Table table = Empty();
  EXPECT_EQ(table.Find("name"), kName);
  EXPECT_EQ(table.Find("Name"), std::nullopt);
}

TEST(Table, AppendsRowsOfAnother) {
  Table table = ThreeRanks();
  table.Append(Empty());
  table.Append(ThreeRanks());
  EXPECT_THAT(Names(table), ElementsAre("two", "", "null", "two", "", "null"));
  table.Append(table);
  EXPECT_EQ(table.row_count(), 12U);
  EXPECT_EQ(table.String(9, kName), "two");
}

TEST(Table, SortsNullsLastEitherWay) {
  Table table = ThreeRanks();
  table.SortBy({{.column = kRank}});
  EXPECT_THAT(Names(table), ElementsAre("", "two", "null"));
  table.SortBy({{.column = kRank, .descending = true}});
  EXPECT_THAT(Names(table), ElementsAre("two", "", "null"));
  table.SortBy({{.column = kShare, .descending = true}});
  EXPECT_THAT(Names(table), ElementsAre("two", "null", ""));
}

TEST(Table, SortsByLaterKeysWhereEarlierOnesAreEqual) {
  Table table = Empty();
  for (const char* name : {"b", "a", "c"}) table.AddRow({std::int64_t{1}, 1.0, name, true});
  table.AddRow({std::int64_t{0}, 1.0, "d", true});
  table.SortBy({{.column = kRank}, {.column = kName, .descending = true}});
  EXPECT_THAT(Names(table), ElementsAre("d", "c", "b", "a"));
}

TEST(Table, KeepsTheOrderOfEqualRows) {
  Table table = Empty();
  for (const char* name : {"b", "a", "c"}) table.AddRow({kNull, 1.0, name, true});
  table.AddRow({std::int64_t{0}, 1.0, "d", true});
  table.SortBy({{.column = kRank, .descending = true}, {.column = kShare}});
  EXPECT_THAT(Names(table), ElementsAre("d", "b", "a", "c"));
}

TEST(Table, SaysWhatItTakes) {
  Table table("t", {{.name = "number", .type = ColumnType::kInt64},
                    {.name = "ratio", .type = ColumnType::kDouble},
                    {.name = "text", .type = ColumnType::kString}});
  EXPECT_EQ(table.bytes(), 0U);
  for (int i = 0; i < 8; ++i) table.AddRow({std::int64_t{i}, 0.5, "four"});
  // 8 bytes a number, 8 a ratio, 4 and their end a text, and for each column a bit a row.
  EXPECT_EQ(table.bytes(), 8U * (8 + 8 + 4 + 8) + 3);
}

TEST(Table, Truncates) {
  Table table = ThreeRanks();
  table.Truncate(5);
  EXPECT_EQ(table, ThreeRanks());
  table.Truncate(1);
  EXPECT_THAT(Names(table), ElementsAre("two"));
  table.AddRow({std::int64_t{9}, kNull, "nine", kNull});
  EXPECT_THAT(Names(table), ElementsAre("two", "nine"));
  table.Truncate(0);
  EXPECT_EQ(table, Empty());
}

TEST(Table, IsEqualOnlyWithTheSameCells) {
  EXPECT_EQ(ThreeRanks(), ThreeRanks());
  EXPECT_FALSE(ThreeRanks() == Empty());
  Table other = Empty();
  other.AddRow({std::int64_t{2}, 12.5, "two", true});
  other.AddRow({kNull, kNull, "", false});
  other.AddRow({kNull, std::int64_t{7}, kNull, kNull});
  EXPECT_FALSE(ThreeRanks() == other) << "0 and null";
}

TEST(Table, SortsRandomRowsLikeAListOfRows) {
  RandomTables random(1);
  for (int round = 0; round < 100; ++round) {
    const Table table = random.Make(40);
    const std::size_t key = random.Below(table.column_count());
    const bool descending = random.Below(2) == 0;
    std::vector<std::size_t> order(table.row_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Value x = table.At(a, key);
      const Value y = table.At(b, key);
      const bool null_x = std::holds_alternative<Null>(x);
      const bool null_y = std::holds_alternative<Null>(y);
      if (null_x || null_y) return !null_x && null_y;
      return std::visit(
          [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Null>) {
              return false;
            } else {
              return descending ? std::get<T>(y) < value : value < std::get<T>(y);
            }
          },
          x);
    });
    Table sorted = table;
    sorted.SortBy({{.column = key, .descending = descending}});
    for (std::size_t row = 0; row < order.size(); ++row) {
      for (std::size_t column = 0; column < table.column_count(); ++column) {
        EXPECT_EQ(sorted.At(row, column), table.At(order[row], column));
      }
    }
  }
}

TEST(TableDeathTest, EndsOnRowsThatDoNotFit) {
  Table table = Empty();
  EXPECT_DEATH(table.AddRow({std::int64_t{1}}), "4 columns");
  EXPECT_DEATH(table.AddRow({"one", 1.0, "x", true}), "rank holds int64");
  EXPECT_DEATH(table.Append(Table("t", {{.name = "x"}})), "cannot take");
  EXPECT_DEATH(static_cast<void>(table.Int(0, 0)), "no int64 at row 0");
}

}  // namespace
}  // namespace rankscope
