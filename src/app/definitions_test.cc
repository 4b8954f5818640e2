#include "app/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rankscope::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Definitions, EveryTableSaysWhatItIs) {
  std::set<std::string> of_jobs;
  for (const TableGroup& group : TableGroups()) {
    EXPECT_FALSE(group.title.empty());
    EXPECT_FALSE(group.tables.empty()) << group.title;
    for (const TableDefinition& table : group.tables) {
      EXPECT_FALSE(table.summary.empty()) << table.name;
      EXPECT_THAT(table.example, HasSubstr("rankscope ")) << table.name;
      EXPECT_FALSE(table.columns.empty()) << table.name;
      EXPECT_EQ(&GroupOf(table), &group) << table.name;
      const bool is_only = group.subject == Subject::kEvents || of_jobs.insert(table.name).second;
      EXPECT_TRUE(is_only) << table.name;
      EXPECT_EQ(table.definition.empty(), group.subject != Subject::kJob) << table.name;
    }
  }
}

TEST(Definitions, AreFoundByName) {
  for (const char* name :
       {"time_breakdown", "kernels", "diff_ops", "snapshot_peak", "flight_members"}) {
    const Result<const TableDefinition*> table = FindDefinition(name);
    ASSERT_TRUE(table.ok()) << name;
    EXPECT_EQ((*table)->name, name);
  }
  const auto none = FindDefinition("time_breakdwon");
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(none.status().message(), HasSubstr("time_breakdown"));
}

TEST(Definitions, NamesAreBySubject) {
  EXPECT_THAT(TableNames(Subject::kEvents), Contains("events"));
  EXPECT_THAT(TableNames(Subject::kJob), Contains("step_times"));
  EXPECT_THAT(TableNames(Subject::kPair), Contains("hta.trace_diff"));
  EXPECT_THAT(TableNames(Subject::kMemory), Contains("snapshot_peak"));
  EXPECT_THAT(TableNames(Subject::kDumps), Contains("flight_members"));
}

}  // namespace
}  // namespace rankscope::app
