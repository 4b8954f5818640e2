// What looking at a job costs, in counts: how often files are read, DuckDB opened and the graph
// passed through; and that a second look derives nothing: not for a report, a question, a
// comparison or a what-if.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/compare_jobs.h"
#include "app/report_folder.h"
#include "app/report_of.h"
#include "app/small_job_for_test.h"
#include "app/sql_session.h"
#include "app/what_if.h"
#include "engine/job.h"
#include "replay/replay_fact.h"
#include "schemas/findings.h"
#include "sim/simulate.h"
#include "sql/sessions_opened.h"

namespace rankscope::app {
namespace {

// Of the recording, of its fidelity, and with scenarios: for what rules ask, the causes alone, as
// many of them as are told, and the table `gains`.
constexpr std::int64_t kMostPasses = 5;

// A job of two ranks of which one is slow, and a cache of its own.
class SecondLookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(::testing::TempDir()) / (std::string("second_look_") + test->name());
    std::filesystem::remove_all(folder_);
    sim::SimulateOptions options;
    options.out_folder = (folder_ / "traces").string();
    options.ranks = 2;
    options.steps = 4;
    options.events_per_rank = 4000;
    options.causes.push_back(
        {.cause = sim::CauseId::kSlowGpu, .severity = 0.5, .ranks = {1}, .steps = {}});
    ASSERT_TRUE(sim::Simulate(options).ok());
    spec_.paths = {options.out_folder};
    spec_.cache.folder = (folder_ / "cache").string();
    spec_.threads = 2;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::size_t TablesMadeForReport(ReportUse use) {
    const Result<JobReport> made = ReportOf(spec_, use, heard_);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made->job->job().tables_made();
  }
  std::unique_ptr<OpenedJob> Open() {
    Result<std::unique_ptr<OpenedJob>> job = OpenJob(spec_, {}, heard_);
    EXPECT_TRUE(job.ok()) << job.status().message();
    return std::move(job).value();
  }

  static std::string FirstFinding(OpenedJob& job) {
    const auto findings = job.Run({.table = "findings"});
    EXPECT_TRUE(findings.ok()) << findings.status().message();
    return std::string(ViewOf<Findings>(*findings).String(0, SchemaOf<Findings>().id));
  }

  std::filesystem::path folder_;
  JobSpec spec_;
  Heard heard_;
};

TEST_F(SecondLookTest, AReport) {
  EXPECT_GT(TablesMadeForReport(ReportUse::kText), 40U);
  EXPECT_EQ(TablesMadeForReport(ReportUse::kText), 0U);
  EXPECT_GT(TablesMadeForReport(ReportUse::kPage), 0U) << "what pages draw beside";
  EXPECT_EQ(TablesMadeForReport(ReportUse::kPage), 0U);
}

// With a cache each file is read once for all that a server keeps of a run. DuckDB is opened once
// for all of its tables, and the graph of all ranks passed through a few times, each with several
// scenarios.
TEST_F(SecondLookTest, AFolderOfAReport) {
  for (const bool is_cached : {true, false}) {
    spec_.cache.enabled = is_cached;
    const std::int64_t sessions = sql::SessionsOpened();
    const Result<JobReport> made = ReportOf(spec_, ReportUse::kPage, heard_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    ASSERT_TRUE(WriteReportFolder(*made->job, made->report, (folder_ / "report").string()).ok());
    const Job& job = made->job->job();
    // Without a cache the timeline reads them once more.
    for (const std::size_t file : {0, 1})
      EXPECT_EQ(job.files().times_read(file), is_cached ? 1U : 2U) << file;
    EXPECT_EQ(sql::SessionsOpened() - sessions, 1);
    EXPECT_EQ(FirstFinding(*made->job), "slow-kernels") << "one of two ranks";
    EXPECT_LE(ReplayedOf(job.context()).passes(), kMostPasses);
  }
}

TEST_F(SecondLookTest, ATable) {
  TablesMadeForReport(ReportUse::kText);
  const auto job = Open();
  EXPECT_TRUE(job->Run({.table = "findings"}).ok());
  EXPECT_TRUE(job->Run({.table = "time_breakdown"}).ok());
  EXPECT_EQ(job->job().tables_made(), 0U);
}

TEST_F(SecondLookTest, AQuestion) {
  const auto ask = [&] {
    const auto job = Open();
    const auto session = SqlSession::Open(*job, {});
    EXPECT_TRUE(session.ok()) << session.status().message();
    const Result<Table> answer = (*session)->Run("SELECT count(*) FROM findings, time_breakdown");
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return job->job().tables_made();
  };
  EXPECT_GT(ask(), 0U);
  EXPECT_EQ(ask(), 0U);
}

TEST_F(SecondLookTest, AComparison) {
  const auto compare = [&] {
    const auto base = Open(), test = Open();
    EXPECT_TRUE(CompareJobs(*base, *test, HtaTables::kNot, heard_).ok());
    return base->job().tables_made() + test->job().tables_made();
  };
  EXPECT_GT(compare(), 0U);
  EXPECT_EQ(compare(), 0U);
}

TEST_F(SecondLookTest, AWhatIf) {
  const auto ask = [&] {
    const auto job = Open();
    EXPECT_TRUE(WhatIfOf(*job, {"idealise:rank=1"}, heard_).ok());
    return job->job().tables_made();
  };
  EXPECT_GT(ask(), 0U);
  EXPECT_EQ(ask(), 0U);
}

}  // namespace
}  // namespace rankscope::app
