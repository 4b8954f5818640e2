#include "app/report_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "app/report_folder.h"
#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReportOfTest : public SmallJobTest {};

TEST_F(ReportOfTest, SaysWhoseJobItIsBesideItsTables) {
  spec_.called = "traces/";
  const Result<JobReport> made = ReportOf(spec_, ReportUse::kText, heard_);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_THAT(made->report.ranks, ElementsAre(0, 1));
  EXPECT_EQ(made->report.world_size, 2);
  EXPECT_EQ(made->report.traces, "traces/");
  EXPECT_NE(made->report.Find("time_breakdown"), nullptr);
}

TEST_F(ReportOfTest, StepsThatThereAreNotAreAnError) {
  spec_.steps = {77};
  const Result<JobReport> made = ReportOf(spec_, ReportUse::kText, heard_);
  EXPECT_EQ(made.status().code(), StatusCode::kNotFound);
}

TEST_F(ReportOfTest, AGateIsASeverityOrAFinding) {
  EXPECT_TRUE(CheckGate("high").ok());
  EXPECT_TRUE(CheckGate("host-sync").ok());
  EXPECT_EQ(CheckGate("queueing").message(),
            "--fail-on queueing: that is looked for in serving data, not in the traces of a job");
  EXPECT_EQ(CheckGate("hihg").code(), StatusCode::kInvalidArgument);
}

TEST_F(ReportOfTest, AGateWithoutFindingsIsNotOpen) {
  EXPECT_EQ(GateHit("high", Report()).status().code(), StatusCode::kNotFound);
}

TEST_F(ReportOfTest, AFolderHasAllParts) {
  const Result<JobReport> made = ReportOf(spec_, ReportUse::kPage, heard_);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const std::filesystem::path folder = folder_ / "report";
  const Status written = WriteReportFolder(*made->job, made->report, folder.string());
  ASSERT_TRUE(written.ok()) << written.message();
  for (const char* part : {"report.json", "view.json", "summary.json", "timeline",
                           "time_breakdown.parquet", "kernel_sketches"})
    EXPECT_TRUE(std::filesystem::exists(folder / part)) << part;
}

TEST_F(ReportOfTest, AFolderThatCannotBeMadeIsNamed) {
  const Result<JobReport> made = ReportOf(spec_, ReportUse::kPage, heard_);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const std::string folder = (folder_ / "rank0.json" / "report").string();
  const Status written = WriteReportFolder(*made->job, made->report, folder);
  EXPECT_EQ(written.code(), StatusCode::kIo);
  EXPECT_THAT(written.message(), HasSubstr(folder));
}

}  // namespace
}  // namespace rankscope::app
