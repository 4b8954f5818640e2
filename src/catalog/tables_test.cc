#include "catalog/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "catalog/subsystems.h"
#include "catalog/table_definitions.h"

namespace rankscope::catalog {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Subsystems, AreNamedOnceAndBringSomething) {
  std::set<std::string_view> names;
  for (const Subsystem* subsystem : AllSubsystems()) {
    EXPECT_TRUE(names.insert(subsystem->name).second) << subsystem->name;
    EXPECT_FALSE(subsystem->about.empty()) << subsystem->name;
    EXPECT_FALSE(subsystem->topics.empty() && subsystem->findings.empty()) << subsystem->name;
  }
}

// The unit that the name of a column promises; "" where it promises none.
std::string_view PromisedUnit(const ColumnSpec& column) {
  for (const auto& [ending, unit] :
       {std::pair("_ns", "ns"), std::pair("_us", "us"), std::pair("_ms", "ms"),
        std::pair("_pct", "%"), std::pair("_bytes", "bytes")}) {
    if (column.name.ends_with(ending)) return unit;
  }
  return column.name == "bytes" ? "bytes" : "";
}

TEST(Tables, EveryTableSaysWhatItIs) {
  for (const TableTopic* topic : AllTopics()) {
    EXPECT_FALSE(topic->title.empty());
    EXPECT_FALSE(topic->tables.empty()) << topic->title;
    for (const TableEntry& table : topic->tables) {
      EXPECT_FALSE(table.summary.empty()) << table.name;
      EXPECT_FALSE(table.definition.empty()) << table.name;
      EXPECT_TRUE(table.definition.ends_with('.') || table.definition.ends_with(')'))
          << table.name << ": " << table.definition;
      EXPECT_THAT(table.example, HasSubstr("rankscope ")) << table.name;
      EXPECT_THAT(table.example, HasSubstr(table.name)) << table.name;
      EXPECT_FALSE(table.columns.empty()) << table.name;
      for (const ColumnSpec& column : table.columns) {
        EXPECT_FALSE(column.doc.empty()) << table.name << "." << column.name;
        const std::string_view unit = PromisedUnit(column);
        EXPECT_TRUE(unit.empty() || column.unit == unit) << table.name << "." << column.name;
      }
      for (const TableOption& option : table.options)
        EXPECT_FALSE(option.doc.empty()) << table.name << ": " << option.name;
    }
  }
}

// A view of SQL may have the name of a table: `analysis.NAME` is the table then.
TEST(Tables, AreNamedOnce) {
  std::set<std::string> names;
  for (const TableTopic* topic : AllTopics()) {
    for (const TableEntry& table : topic->tables) {
      const bool is_new = table.subject == Subject::kEvents || names.insert(table.name).second;
      EXPECT_TRUE(is_new) << table.name;
    }
  }
}

TEST(Tables, AreFoundByName) {
  for (const char* name :
       {"time_breakdown", "kernels", "diff_ops", "snapshot_peak", "flight_members"}) {
    const Result<const TableEntry*> table = FindTable(name);
    ASSERT_TRUE(table.ok()) << name;
    EXPECT_EQ((*table)->name, name);
  }
  const auto none = FindTable("time_breakdwon");
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(none.status().message(), HasSubstr("did you mean time_breakdown?"));
}

TEST(Tables, NamesAreBySubject) {
  EXPECT_THAT(TableNames(Subject::kEvents), Contains("events"));
  EXPECT_THAT(TableNames(Subject::kJob), Contains("step_times"));
  EXPECT_THAT(TableNames(Subject::kJob), Contains("hta.temporal_breakdown"));
  EXPECT_THAT(TableNames(Subject::kPair), Contains("hta.trace_diff"));
  EXPECT_THAT(TableNames(Subject::kSnapshot), Contains("snapshot_peak"));
  EXPECT_THAT(TableNames(Subject::kDumps), Contains("flight_members"));
  EXPECT_THAT(TableNames(Subject::kServing), Contains("serving_stages"));
  EXPECT_THAT(TableNames(Subject::kPostTraining), Contains("post_phases"));
  EXPECT_THAT(TableNames(Subject::kFleet), Contains("fleet_regressions"));
}

TEST(TableDefinitions, HaveTheTablesOfEverySubject) {
  const std::string json = TableDefinitionsJson();
  EXPECT_THAT(json, HasSubstr(R"({"name":"kernels","subject":"events",)"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"step_times","subject":"job",)"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"diff_ops","subject":"pair",)"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"snapshot_peak","subject":"snapshot",)"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"flight_members","subject":"dumps",)"));
}

}  // namespace
}  // namespace rankscope::catalog
