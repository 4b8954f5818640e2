#include "shard_plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rankscope::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string folder = testing::TempDir() + "/shards_" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(ShardPlan, FilesStayInOrderAndPackedOnesCountFifteenTimes) {
  EXPECT_EQ(TextBytesOf("a.json", 100), 100U);
  EXPECT_EQ(TextBytesOf("a.json.gz", 100), 1500U);
  EXPECT_EQ(TextBytesOf("a.json.zst", 100), 1500U);
  const std::vector<ShardFiles> shards = DivideIntoShards(
      {{"a.json", 60}, {"b.json", 40}, {"c.json", 1}, {"d.json.gz", 100}, {"e.json", 50}}, 100);
  ASSERT_EQ(shards.size(), 4U);
  EXPECT_THAT(shards[0].files, ElementsAre("a.json", "b.json"));
  EXPECT_EQ(shards[0].bytes, 100);
  EXPECT_THAT(shards[1].files, ElementsAre("c.json"));
  EXPECT_THAT(shards[2].files, ElementsAre("d.json.gz"));  // longer than a shard: alone
  EXPECT_THAT(shards[3].files, ElementsAre("e.json"));
  EXPECT_TRUE(DivideIntoShards({}, 100).empty());
}

TEST(ShardPlan, ThereAreNoMoreShardsThanAnArrayJobHasTasks) {
  std::vector<TraceFile> files;
  for (int i = 0; i < 5000; ++i) files.push_back({"rank" + std::to_string(i) + ".json", 7});
  const std::vector<ShardFiles> shards = DivideIntoShards(files, 7);
  EXPECT_LE(shards.size(), kMostShards);
  EXPECT_GE(shards.size(), kMostShards / 2 - 1);
  std::size_t all = 0;
  for (const ShardFiles& shard : shards) all += shard.files.size();
  EXPECT_EQ(all, files.size());
}

TEST(ShardPlan, ComesBackAsItWasWritten) {
  const std::string folder = NewFolder("plan");
  const ShardPlan plan{.paths = {"/data/my \"traces\""},
                       .steps = {3, 4},
                       .kernel_classes = "/data/rules",
                       .draws = true,
                       .threads = 2,
                       .shards = {{{"/data/a.json"}, 5}, {{"/data/b.json", "/data/c.json"}, 9}}};
  ASSERT_TRUE(WritePlan(folder, plan).ok());
  const Result<ShardPlan> read = ReadPlan(folder);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(json::ToJson(*read), json::ToJson(plan));
  // It is nobody else's.
  EXPECT_THAT(WritePlan(folder, plan).message(), HasSubstr("not empty"));
}

TEST(ShardPlan, ADamagedOneIsNamed) {
  const std::string folder = NewFolder("damaged");
  EXPECT_EQ(ReadPlan(folder).status().code(), StatusCode::kNotFound);
  std::filesystem::create_directories(folder);
  for (const char* text : {"", "{", "[]", "{\"paths\":1}", "{\"paths\":[\"a\"]}"}) {
    std::ofstream(folder + "/plan.json") << text;
    EXPECT_EQ(ReadPlan(folder).status().code(), StatusCode::kBadData) << text;
    EXPECT_THAT(ReadPlan(folder).status().message(), HasSubstr("plan.json")) << text;
  }
}

}  // namespace
}  // namespace rankscope::shards
