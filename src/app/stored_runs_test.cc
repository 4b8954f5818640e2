#include "app/stored_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/keep_job.h"
#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

using ::testing::HasSubstr;

class StoredRunsTest : public SmallJobTest {
 protected:
  void SetUp() override {
    SmallJobTest::SetUp();
    data_ = folder_.string() + "_store";
    std::filesystem::remove_all(data_);
    store::Run run;
    run.name = "job";
    run.tags = {{"keep", ""}, {"ticket", "42"}};
    const Result<KeptJob> kept = KeepJob(spec_, run, data_, "1.2", heard_);
    ASSERT_TRUE(kept.ok()) << kept.status().message();
    run_ = kept->run;
  }
  void TearDown() override {
    std::filesystem::remove_all(data_);
    SmallJobTest::TearDown();
  }

  std::string data_;
  std::string run_;
};

TEST_F(StoredRunsTest, AreATable) {
  const Result<Table> runs = RunsOf(data_, heard_);
  ASSERT_TRUE(runs.ok()) << runs.status().message();
  ASSERT_EQ(runs->row_count(), 1u);
  const auto text = [&](std::string_view column) {
    return std::string(runs->String(0, *runs->Find(column)));
  };
  EXPECT_EQ(text("id"), run_);
  EXPECT_EQ(text("state"), "ready");
  EXPECT_EQ(text("tags"), "keep, ticket=42");
  EXPECT_EQ(runs->Int(0, *runs->Find("files")), 2);
  EXPECT_TRUE(heard_.notices.empty());
}

TEST_F(StoredRunsTest, AreCopiedToANewFolderAlone) {
  const std::filesystem::path to = folder_ / "copy";
  const Status copied = CopyRun(data_, run_, to.string());
  ASSERT_TRUE(copied.ok()) << copied.message();
  EXPECT_TRUE(std::filesystem::exists(to / "traces" / "rank0.json"));
  EXPECT_TRUE(std::filesystem::exists(to / "report" / "report.json"));
  const Status again = CopyRun(data_, run_, to.string());
  EXPECT_EQ(again.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(again.message(), HasSubstr("copy"));
  EXPECT_EQ(CopyRun(data_, "0000000000000000", (folder_ / "none").string()).code(),
            StatusCode::kNotFound);
}

TEST_F(StoredRunsTest, AStoreThatIsNotThereIsAnError) {
  EXPECT_FALSE(RunsOf((folder_ / "nothing").string(), heard_).ok());
}

}  // namespace
}  // namespace rankscope::app
