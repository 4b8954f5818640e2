#include "shards/run_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "shard_plan/plan.h"
#include "shards/gather.h"
#include "shards/result.h"

namespace rankscope::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A child that notes what it was asked to read, and ends as a file in its folder says:
// FOLDER/ends-FILE holds an exit code, "kill" or "never".
class RunShardTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/run_shard_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(
        WritePlan(folder_, {.paths = {"/traces"}, .shards = {{{"a", "b", "c"}, 3}, {{"d"}, 1}}})
            .ok());
    std::ofstream(folder_ + "/child.sh") << "echo \"$*\" >> asked\n"
                                            "for file in \"$@\"; do\n"
                                            "  [ -e ends-$file ] || continue\n"
                                            "  end=$(cat ends-$file)\n"
                                            "  [ $end = kill ] && kill -9 $$\n"
                                            "  [ $end = never ] && sleep 3600\n"
                                            "  exit $end\n"
                                            "done\n";
  }

  void Ends(const std::string& file, const std::string& how) {
    std::ofstream(folder_ + "/ends-" + file) << how;
  }

  Result<ShardEnd> Run(std::size_t shard, bool is_stopped = false) {
    return RunShard({.folder = folder_,
                     .shard = shard,
                     .child =
                         [](const std::vector<std::string>& files) {
                           std::vector<std::string> words = {"sh", "child.sh"};
                           words.insert(words.end(), files.begin(), files.end());
                           return words;
                         },
                     .is_stopped = [is_stopped] { return is_stopped; },
                     .tell = [this](const std::string& sentence) { told_.push_back(sentence); }});
  }

  std::string Asked() const {
    const Result<std::string> text = ReadFile(folder_ + "/asked");
    return text.ok() ? *text : "";
  }

  std::string folder_;
  std::vector<std::string> told_;
};

TEST_F(RunShardTest, AllFilesAreReadByOneChildAndOnceOnly) {
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
  EXPECT_EQ(Asked(), "a b c\n");
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(GatherShards(folder_)->left_out, testing::SizeIs(1));  // d: its shard never ran
}

TEST_F(RunShardTest, AFileThatEndsItsProcessIsLeftOutAndTheOthersAreRead) {
  Ends("b", "kill");
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
  EXPECT_EQ(Asked(), "a b c\na\nb\nb\nc\n");
  EXPECT_THAT(told_, ElementsAre(HasSubstr("signal 9 while 3 files were read"),
                                 HasSubstr("signal 9 while b was read"),
                                 HasSubstr("signal 9 while b was read")));
  ASSERT_EQ(*Run(1), ShardEnd::kDone);
  const Gathered gathered = *GatherShards(folder_);
  ASSERT_EQ(gathered.left_out.size(), 1U);
  EXPECT_EQ(gathered.left_out[0].first, "b");
  EXPECT_THAT(gathered.left_out[0].second, HasSubstr("ended 2 processes (the last: signal 9)"));
  EXPECT_EQ(gathered.without_result, 0U);
}

// Killed with its child: what had begun is on disk.
TEST_F(RunShardTest, WhoComesAfterAKilledProcessGoesOnWhereItWas) {
  ASSERT_TRUE(WriteResult(folder_, 0,
                          {.has_begun = true, .read = {"a"}, .ended = {{.file = "b", .times = 2}}})
                  .ok());
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
  EXPECT_EQ(Asked(), "c\n");
  EXPECT_THAT(GatherShards(folder_)->left_out[0].second, HasSubstr("its process was killed"));
}

TEST_F(RunShardTest, WhereNoFileIsATraceTryingAgainIsNoUse) {
  Ends("d", "1");
  EXPECT_EQ(*Run(1), ShardEnd::kBadInput);
  EXPECT_EQ(*Run(1), ShardEnd::kBadInput);
  EXPECT_EQ(Asked(), "d\n");
  // The report reads them and says what they are.
  ASSERT_EQ(*Run(0), ShardEnd::kDone);
  EXPECT_THAT(GatherShards(folder_)->left_out, IsEmpty());
}

TEST_F(RunShardTest, StoppedItIsToBeTriedAgain) {
  Ends("c", "never");
  EXPECT_EQ(*Run(0, true), ShardEnd::kTryAgain);
  EXPECT_FALSE(ReadResult(folder_, 0)->is_done);
  std::filesystem::remove(folder_ + "/ends-c");
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
}

TEST_F(RunShardTest, ACacheThatTakesNothingIsToBeTriedAgain) {
  std::filesystem::remove_all(CacheFolderOf(folder_));
  EXPECT_EQ(*Run(0), ShardEnd::kTryAgain);
  EXPECT_EQ(Asked(), "");
  std::filesystem::create_directories(CacheFolderOf(folder_));
  EXPECT_EQ(*Run(0), ShardEnd::kDone);
}

TEST_F(RunShardTest, AShardThatThereIsNotIsAnError) {
  EXPECT_THAT(Run(2).status().message(), HasSubstr("no shard 2; it has 2"));
  EXPECT_EQ(GatherShards(folder_ + "/nowhere").status().code(), StatusCode::kNotFound);
}

TEST_F(RunShardTest, WaitingEndsWhenAllAreDoneOrItIsOver) {
  EXPECT_FALSE(*WaitForShards(folder_, [] { return true; }));
  ASSERT_EQ(*Run(0), ShardEnd::kDone);
  ASSERT_EQ(*Run(1), ShardEnd::kDone);
  EXPECT_TRUE(*WaitForShards(folder_, [] { return true; }));
}

}  // namespace
}  // namespace rankscope::shards
