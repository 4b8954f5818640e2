#include "table/conform.h"

#include <gtest/gtest.h>

#include "table/cells_for_test.h"

namespace rankscope {
namespace {

struct Today : Schema<Today> {
  StringColumn id = Text("id", "");
  RealColumn gain = Real("gain", "%", "");
  IntColumn is_new = Int("is_new", "", "");
};

// An older version had no `is_new`, another column that has gone, and another order.
TEST(ConformedTo, WhatIsMissingIsNullAndWhatIsLeftOverGoes) {
  Table older(
      "findings",
      {{"gone", ColumnType::kInt64}, {"gain", ColumnType::kDouble}, {"id", ColumnType::kString}});
  older.AddRow({std::int64_t{7}, 2.5, std::string_view("host-sync")});
  older.AddRow({kNull, kNull, std::string_view("slow-gpu")});
  const Table now = ConformedTo(SchemaOf<Today>(), older);
  EXPECT_TRUE(SchemaOf<Today>().Fits(now));
  EXPECT_EQ(Rows(now, {"id", "gain", "is_new"}), "host-sync,2.5,\nslow-gpu,,\n");
}

// A column of that name that holds something else is another one.
TEST(ConformedTo, AnotherTypeIsAnotherColumn) {
  Table other("findings", {{"gain", ColumnType::kString}, {"id", ColumnType::kString}});
  other.AddRow({std::string_view("2.5"), std::string_view("host-sync")});
  EXPECT_EQ(Rows(ConformedTo(SchemaOf<Today>(), other), {"id", "gain"}), "host-sync,\n");
}

}  // namespace
}  // namespace rankscope
