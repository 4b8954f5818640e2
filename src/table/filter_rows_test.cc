#include "table/filter_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::HasSubstr;

Table Kernels() {
  Table table("kernels", {{.name = "id", .type = ColumnType::kString},
                          {.name = "rank", .type = ColumnType::kInt64},
                          {.name = "share", .type = ColumnType::kDouble},
                          {.name = "late", .type = ColumnType::kBool}});
  table.AddRow({std::string_view("a gemm"), std::int64_t{2}, 0.25, true});
  table.AddRow({std::string_view("b"), kNull, 0.5, false});
  table.AddRow({kNull, std::int64_t{10}, kNull, kNull});
  table.AddRow({std::string_view("c=gemm"), std::int64_t{12}, 0.5, true});
  return table;
}

// The numbers of the rows that stay, or the error.
std::string Kept(const std::vector<std::string>& texts) {
  std::vector<Condition> conditions;
  for (const std::string& text : texts) {
    const auto condition = ParseCondition(text);
    if (!condition.ok()) return condition.status().message();
    conditions.push_back(*condition);
  }
  const Table all = Kernels();
  const auto kept = FilterRows(all, conditions);
  if (!kept.ok()) return kept.status().message();
  std::string rows;
  for (std::size_t row = 0, of = 0; row < kept->row_count(); ++of) {
    bool is_same = true;
    for (std::size_t column = 0; column < all.column_count(); ++column)
      is_same &= all.At(of, column) == kept->At(row, column);
    if (!is_same) continue;
    rows += std::to_string(of);
    ++row;
  }
  return rows;
}

TEST(FilterRows, NumbersCompareAsNumbers) {
  EXPECT_EQ(Kept({"rank=2"}), "0");
  EXPECT_EQ(Kept({"rank>2"}), "23");
  EXPECT_EQ(Kept({"rank>=10"}), "23");
  EXPECT_EQ(Kept({"rank!=10"}), "03");
  EXPECT_EQ(Kept({"share<=0.25"}), "0");
  EXPECT_EQ(Kept({"share=5e-1"}), "13");
  EXPECT_EQ(Kept({"rank<12"}), "02");
}

TEST(FilterRows, TextAndFlags) {
  EXPECT_EQ(Kept({"id=b"}), "1");
  EXPECT_EQ(Kept({"id=c=gemm"}), "3");
  EXPECT_EQ(Kept({"id~gemm"}), "03");
  EXPECT_EQ(Kept({"rank~2"}), "03");
  EXPECT_EQ(Kept({"late=true"}), "03");
  EXPECT_EQ(Kept({"late<true"}), "1");
}

TEST(FilterRows, UnknownIsOnlyUnknown) {
  EXPECT_EQ(Kept({"rank="}), "1");
  EXPECT_EQ(Kept({"rank!="}), "023");
  EXPECT_EQ(Kept({"id!=b"}), "03");
  EXPECT_EQ(Kept({"share~0"}), "013");
}

TEST(FilterRows, AllHold) {
  EXPECT_EQ(Kept({}), "0123");
  EXPECT_EQ(Kept({"share=0.5", "late=true"}), "3");
  EXPECT_EQ(Kept({"rank=2", "rank=10"}), "");
}

TEST(FilterRows, SaysWhatIsWrong) {
  EXPECT_EQ(Kept({"rank=two"}), "column 'rank' is of type int64: 'two' is none");
  EXPECT_EQ(Kept({"rank=1.5"}), "column 'rank' is of type int64: '1.5' is none");
  EXPECT_EQ(Kept({"share>"}), "column 'share' is of type double: '' is none");
  EXPECT_EQ(Kept({"late=1"}), "column 'late' is of type bool: '1' is none");
  EXPECT_THAT(Kept({"rnak=1"}), HasSubstr("did you mean 'rank'?"));
  EXPECT_THAT(Kept({"rank"}), HasSubstr("is no condition"));
}

}  // namespace
}  // namespace rankscope
