#include "app/open_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OpenJobTest : public SmallJobTest {
 protected:
  Result<std::unique_ptr<OpenedJob>> Open() { return OpenJob(spec_, {}, heard_); }
};

TEST_F(OpenJobTest, MakesTablesByName) {
  const auto job = Open();
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ((*job)->recordings(), 2u);
  EXPECT_THAT((*job)->ranks().numbers, ElementsAre(0, 1));
  EXPECT_TRUE((*job)->ranks().are_stated);
  EXPECT_GT(heard_.readings, 0);
  EXPECT_TRUE(heard_.is_done);
  EXPECT_THAT(heard_.notices, IsEmpty());
  const Result<Table> captures = (*job)->Run({.table = "captures"});
  ASSERT_TRUE(captures.ok()) << captures.status().message();
  EXPECT_EQ(captures->row_count(), 2u);
}

TEST_F(OpenJobTest, RefusesTablesAndOptionsThatThereAreNot) {
  EXPECT_EQ(OpenJob(spec_, {{.table = "nonsense"}}, heard_).status().code(),
            StatusCode::kInvalidArgument);
  const auto job = Open();
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ((*job)->Run({.table = "nonsense"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*job)->Run({.table = "captures", .settings = {{"x", "1"}}}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(OpenJobTest, LooksAtTheRanksThatWereChosen) {
  spec_.ranks = {1};
  const auto job = Open();
  ASSERT_TRUE(job.ok()) << job.status().message();
  EXPECT_EQ((*job)->recordings(), 1u);
  EXPECT_THAT((*job)->ranks().numbers, ElementsAre(1));
}

TEST_F(OpenJobTest, NamesPathsThatAreNotThere) {
  spec_.paths = {(folder_ / "nothing").string()};
  const auto job = Open();
  EXPECT_EQ(job.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(job.status().message(), HasSubstr("nothing"));
}

TEST_F(OpenJobTest, TellsWhatWasLeftOut) {
  std::ofstream(folder_ / "rank2.json") << "{\"traceEvents\": 1}";
  const auto job = Open();
  ASSERT_TRUE(job.ok()) << job.status().message();
  (*job)->TellLeftOut(heard_);
  ASSERT_EQ(heard_.left_out.size(), 1u);
  EXPECT_THAT(heard_.left_out[0], HasSubstr("rank2.json"));
}

TEST_F(OpenJobTest, StopsWhenTheListenerSaysSo) {
  heard_.is_stopped = true;
  EXPECT_EQ(Open().status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(heard_.is_done);
}

TEST_F(OpenJobTest, ACacheThatWasNamedMustBeThere) {
  std::ofstream(folder_ / "file") << "";
  spec_.cache = {.folder = (folder_ / "file").string()};
  EXPECT_EQ(Open().status().code(), StatusCode::kIo);
  spec_.cache = {};  // no folder of the user's either
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(heard_.notices.size(), 1u);
}

TEST_F(OpenJobTest, RulesForKernelsMustBeRules) {
  spec_.kernel_classes_file = (folder_ / "rank0.json").string();
  EXPECT_FALSE(Open().ok());
  spec_.kernel_classes_file = (folder_ / "nothing").string();
  EXPECT_FALSE(Open().ok());
}

TEST(CaptureChoice, IsLatestAllOrANumber) {
  EXPECT_EQ(ParseCaptureChoice("latest", "--capture")->which, CaptureChoice::Which::kLatest);
  EXPECT_EQ(ParseCaptureChoice("all", "--capture")->which, CaptureChoice::Which::kAll);
  EXPECT_EQ(ParseCaptureChoice("3", "--capture")->group, 3);
  for (const char* wrong : {"", "1,2", "last"})
    EXPECT_EQ(ParseCaptureChoice(wrong, "--capture").status().code(), StatusCode::kInvalidArgument)
        << wrong;
}

}  // namespace
}  // namespace rankscope::app
