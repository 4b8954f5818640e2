// Rows of all ranks, in whatever order they came.
#include "stage/reduce.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

struct Marks : Schema<Marks, RankRows> {
  static constexpr std::string_view kName = "marks";
  IntColumn key = Int("key");
  IntColumn value = Int("value");
};

Capture Of(std::int64_t rank, std::int64_t index) {
  Capture capture;
  capture.rank = rank;
  capture.index = index;
  return capture;
}

// Rank and capture are open, as mappers leave them.
std::vector<Table> Rows(const std::vector<std::pair<std::int64_t, std::int64_t>>& rows) {
  Table table = SchemaOf<Marks>().NewTable("marks");
  for (const auto& [key, value] : rows) table.AddRow({kNull, kNull, key, value});
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  return tables;
}

TEST(JoinRowsTest, SortsRowsOfAllRanksWhoeverCameFirst) {
  const auto& columns = SchemaOf<Marks>();
  const auto reducer = JoinRows({columns, Marks::kName, columns.key.index(), {}});
  const std::unique_ptr<Reducer> one = reducer({});
  const std::unique_ptr<Reducer> other = reducer({});
  ASSERT_TRUE(one->Add(Of(2, 0), Rows({{7, 1}, {5, 2}, {7, 3}})).ok());
  ASSERT_TRUE(other->Add(Of(0, 1), Rows({{1, 4}})).ok());
  ASSERT_TRUE(one->Add(Of(0, 0), Rows({{9, 5}})).ok());
  other->Merge(*one);
  const Result<Table> joined = other->Finish(JobContext());
  ASSERT_TRUE(joined.ok());
  const std::vector<std::vector<std::int64_t>> expected = {
      {0, 0, 9, 5}, {0, 1, 1, 4}, {2, 0, 5, 2}, {2, 0, 7, 1}, {2, 0, 7, 3}};
  ASSERT_EQ(joined->row_count(), expected.size());
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t column = 0; column < 4; ++column)
      EXPECT_EQ(joined->Int(row, column), expected[row][column]) << row << ", " << column;
  }
}

// Sorted by rank alone, rows of a rank stay in the order of their captures.
TEST(JoinRowsTest, EqualRowsStayInTheOrderOfCaptures) {
  const auto& columns = SchemaOf<Marks>();
  const std::unique_ptr<Reducer> one =
      JoinRows({columns, Marks::kName, columns.rank.index(), {}})({});
  ASSERT_TRUE(one->Add(Of(3, 1), Rows({{1, 10}, {0, 11}})).ok());
  ASSERT_TRUE(one->Add(Of(3, 0), Rows({{1, 20}})).ok());
  const Result<Table> joined = one->Finish(JobContext());
  ASSERT_TRUE(joined.ok());
  ASSERT_EQ(joined->row_count(), 3U);
  EXPECT_EQ(joined->Int(0, columns.value.index()), 20);
  EXPECT_EQ(joined->Int(1, columns.value.index()), 10);
  EXPECT_EQ(joined->Int(2, columns.value.index()), 11);
}

}  // namespace
}  // namespace rankscope
