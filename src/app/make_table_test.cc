#include "app/make_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

using ::testing::HasSubstr;

class MakeTableTest : public SmallJobTest {
 protected:
  Result<Table> Make(const std::string& table, Settings settings = {}) {
    return MakeTable({.table = table, .settings = std::move(settings)}, spec_, heard_);
  }
  std::string ErrorOf(const std::string& table, Settings settings = {}) {
    const Result<Table> made = Make(table, std::move(settings));
    EXPECT_EQ(made.status().code(), StatusCode::kInvalidArgument) << table;
    return made.status().message();
  }
};

TEST_F(MakeTableTest, IsOfOneJob) {
  const Result<Table> table = Make("captures");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->row_count(), 2u);
}

TEST_F(MakeTableTest, IsOfTwoJobs) {
  EXPECT_THAT(ErrorOf("diff_ops"), HasSubstr("compares two jobs"));
  spec_.paths = {spec_.paths[0], spec_.paths[0]};
  EXPECT_THAT(ErrorOf("diff_ops", {{"x", "1"}}), HasSubstr("has no options"));
  const Result<Table> table = Make("diff_ops");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->name(), "diff_ops");
  EXPECT_TRUE(Make("hta.ops_diff").ok());
}

TEST_F(MakeTableTest, SaysOfWhatOtherTablesAre) {
  EXPECT_THAT(ErrorOf("flight_members"), HasSubstr("rankscope hang"));
  EXPECT_THAT(ErrorOf("serving_stages"), HasSubstr("rankscope serving"));
  EXPECT_THAT(ErrorOf("snapshot_peak", {{"x", "1"}}), HasSubstr("rankscope memory"));
  EXPECT_THAT(ErrorOf("capturse"), HasSubstr("captures"));
  EXPECT_THAT(ErrorOf("captures", {{"x", "1"}}), HasSubstr("x"));
}

}  // namespace
}  // namespace rankscope::app
