#include "fleet/capacity/capacity.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope::fleet {
namespace {

double ValueOf(const TableOf<Capacity>& rows, std::string_view what) {
  const auto& columns = SchemaOf<Capacity>();
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.String(row, columns.what) == what) return rows.Double(row, columns.value);
  }
  ADD_FAILURE() << what;
  return 0;
}

// Worked by hand: 45,000 x 0.48 GB + 4,500 x 3.84 GB + 500 x 51.2 GB = 64,480 GB of JSON.
TEST(Capacity, OfFiftyThousandReportsADay) {
  const auto rows = CapacityFor({});
  ASSERT_TRUE(rows.ok());
  EXPECT_NEAR(ValueOf(*rows, "processor time of all reports"), 322'400, 1);
  EXPECT_NEAR(ValueOf(*rows, "cores that are busy in the mean"), 3.731, 0.001);
  EXPECT_NEAR(ValueOf(*rows, "cores to have"), 24.88, 0.01);
  EXPECT_NEAR(ValueOf(*rows, "uploads"), 3.793, 0.001);
  EXPECT_NEAR(ValueOf(*rows, "uploads in the mean"), 43.9, 0.1);
  EXPECT_NEAR(ValueOf(*rows, "traces that are kept"), 53.1, 0.1);
  EXPECT_NEAR(ValueOf(*rows, "reports and tables that are kept"), 6, 1e-9);
  EXPECT_NEAR(ValueOf(*rows, "fleet rows"), 20e6, 1);
}

TEST(Capacity, IsProportional) {
  const auto once = CapacityFor({.reports_per_day = 1000});
  const auto twice = CapacityFor({.reports_per_day = 2000});
  ASSERT_TRUE(once.ok() && twice.ok());
  const auto& columns = SchemaOf<Capacity>();
  for (std::size_t row = 0; row < once->row_count(); ++row) {
    EXPECT_NEAR(2 * once->Double(row, columns.value), twice->Double(row, columns.value),
                1e-9 * twice->Double(row, columns.value));
  }
}

TEST(Capacity, RefusesWhatCannotBe) {
  EXPECT_EQ(CapacityFor({.reports_per_day = 0}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CapacityFor({.use_pct = 101}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rankscope::fleet
