// What was named is told by its content: traces of a job, recordings of a serving program, both.
#include "app/serving_files.h"

#include <gmock/gmock.h>

#include "app/run_files.h"
#include "app/small_job_for_test.h"
#include "app/sql_session.h"

namespace rankscope::app {
namespace {

constexpr std::string_view kLog =
    "Iteration(1): 0 context requests, 0 context tokens, 2 generation requests, 2 generation "
    "tokens, iteration elapsed time: 10.00 ms\n";
constexpr std::string_view kSpans =
    R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","traceId":"00000000000000000000000000000001","spanId":"0000000000000001","startTimeUnixNano":"1764000000000000000","endTimeUnixNano":"1764000001000000000","attributes":[{"key":"gen_ai.latency.e2e","value":{"doubleValue":1.0}}]}]}]}]})";

class ServingFilesTest : public SmallJobTest {
 protected:
  void SetUp() override {
    SmallJobTest::SetUp();
    logs_ = folder_ / "logs";
    std::filesystem::create_directories(logs_);
    Write(logs_ / "engine.log", kLog);
    Write(logs_ / "notes.txt", "nothing of interest\n");
  }

  static void Write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::vector<std::string> NamesOf(const RunFiles& run) const {
    std::vector<std::string> names;
    for (const store::LocalFile& file : run.files) names.push_back(file.name);
    return names;
  }

  std::filesystem::path logs_;
};

TEST_F(ServingFilesTest, RecordingsAloneAreOfAServingProgram) {
  // Ends as traces do, and is none.
  Write(logs_ / "spans.json", kSpans);
  EXPECT_TRUE(IsServing({logs_.string()}, heard_));
  const auto run = FindRunFiles({logs_.string()}, RunKind::kTold, heard_);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_TRUE(run->is_serving);
  EXPECT_THAT(NamesOf(*run), testing::ElementsAre("engine.log", "spans.json"));
  const auto name = NameOfRun({logs_.string()}, RunKind::kTold);
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(*name, "logs");
}

TEST_F(ServingFilesTest, TracesBesideThemMakeAJobUnlessItIsSaid) {
  EXPECT_FALSE(IsServing({folder_.string()}, heard_));
  const auto job = FindRunFiles({folder_.string()}, RunKind::kTold, heard_);
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_FALSE(job->is_serving);
  EXPECT_THAT(NamesOf(*job), testing::ElementsAre("rank0.json", "rank1.json"));
  ASSERT_EQ(heard_.notices.size(), 1u);
  EXPECT_THAT(heard_.notices[0], testing::HasSubstr("engine.log: recordings of a serving program"));
  const auto serving = FindRunFiles({folder_.string()}, RunKind::kServing, heard_);
  ASSERT_TRUE(serving.ok()) << serving.status().message();
  EXPECT_TRUE(serving->is_serving);
  EXPECT_THAT(NamesOf(*serving),
              testing::ElementsAre("logs/engine.log", "rank0.json", "rank1.json"));
}

TEST_F(ServingFilesTest, TracesAloneAndNothingAreNone) {
  std::filesystem::remove(logs_ / "engine.log");
  EXPECT_FALSE(IsServing({folder_.string()}, heard_));
  EXPECT_FALSE(IsServing({logs_.string()}, heard_));
  EXPECT_FALSE(IsServing({(logs_ / "nowhere").string()}, heard_));
  EXPECT_TRUE(FindRunFiles({folder_.string()}, RunKind::kTold, heard_).ok());
  EXPECT_TRUE(heard_.notices.empty());
  EXPECT_FALSE(FindRunFiles({logs_.string()}, RunKind::kServing, heard_).ok());
}

TEST_F(ServingFilesTest, WhatNeedsRanksSaysWhoReadsThem) {
  const auto job = OpenJob({.paths = {logs_.string()}, .cache = {.enabled = false}}, {}, heard_);
  ASSERT_FALSE(job.ok());
  EXPECT_THAT(std::string(job.status().message()), testing::HasSubstr("rankscope serving"));
}

TEST(SqlOverTables, ViewsAreTheTablesAndNothingElse) {
  Table table("small", {{.name = "n", .type = ColumnType::kInt64}});
  table.AddRow({std::int64_t{3}});
  table.AddRow({std::int64_t{4}});
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  const auto session = SqlSession::Open(std::move(tables), {.select_only = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto sum = (*session)->Run("SELECT sum(n) AS s FROM small");
  ASSERT_TRUE(sum.ok()) << sum.status().message();
  EXPECT_EQ(sum->row_count(), 1u);
  EXPECT_FALSE((*session)->Run("SELECT * FROM '/etc/passwd'").ok());
  EXPECT_FALSE((*session)->Run("CREATE TABLE other (n INT)").ok());
  EXPECT_FALSE((*session)->Run("SELECT * FROM kernels").ok());
}

}  // namespace
}  // namespace rankscope::app
