#include "app/keep_job.h"

#include <gtest/gtest.h>

#include "app/run_files.h"
#include "app/small_job_for_test.h"
#include "store/store.h"

namespace rankscope::app {
namespace {

class KeepJobTest : public SmallJobTest {
 protected:
  void SetUp() override {
    SmallJobTest::SetUp();
    data_ = folder_.string() + "_store";
    std::filesystem::remove_all(data_);
  }
  void TearDown() override {
    std::filesystem::remove_all(data_);
    SmallJobTest::TearDown();
  }

  Result<KeptJob> Keep(const std::string& name) {
    store::Run run;
    run.name = name;
    return KeepJob(spec_, run, data_, "1.2", heard_);
  }

  std::string data_;
};

TEST_F(KeepJobTest, KeepsTracesAndReport) {
  const Result<KeptJob> kept = Keep("job");
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_FALSE(kept->was_there);
  const auto store = store::Store::Open(data_, {.read_only = true});
  ASSERT_TRUE(store.ok()) << store.status().message();
  const Result<store::Run> run = (*store)->catalogue().Find(kept->run);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->state, store::RunState::kReady);
  EXPECT_EQ(run->files.size(), 2u);
  EXPECT_EQ(run->world_size, 2);
  ASSERT_EQ(run->reports.size(), 1u);
  EXPECT_EQ(run->reports[0].program, "1.2");
  EXPECT_FALSE(run->reports[0].tables.empty());
}

TEST_F(KeepJobTest, TheSameFilesUnderTheSameNameAreKeptOnce) {
  const Result<KeptJob> first = Keep("job");
  const Result<KeptJob> second = Keep("job");
  const Result<KeptJob> other = Keep("other");
  ASSERT_TRUE(first.ok() && second.ok() && other.ok());
  EXPECT_TRUE(second->was_there);
  EXPECT_EQ(second->run, first->run);
  EXPECT_FALSE(other->was_there);
}

TEST_F(KeepJobTest, WhatIsNoJobMakesNoStore) {
  spec_.paths = {(folder_ / "nothing").string()};
  EXPECT_FALSE(Keep("job").ok());
  EXPECT_FALSE(std::filesystem::exists(data_));
}

TEST_F(KeepJobTest, FilesHaveNamesBelowTheFolderOfAll) {
  const auto files = FindRunFiles(spec_.paths, RunKind::kTold, heard_);
  ASSERT_TRUE(files.ok()) << files.status().message();
  EXPECT_FALSE(files->is_serving);
  ASSERT_EQ(files->files.size(), 2u);
  EXPECT_EQ(files->files[0].name, "rank0.json");
  EXPECT_EQ(files->files[1].name, "rank1.json");
  const Result<std::string> name = NameOfRun(spec_.paths, RunKind::kTold);
  ASSERT_TRUE(name.ok()) << name.status().message();
  EXPECT_EQ(*name, folder_.filename().string());
}

}  // namespace
}  // namespace rankscope::app
