#include "sim/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;

TEST(Simulate, TheSameOptionsGiveTheSameBytes) {
  const TestFolder first, second, third;
  SimulateOptions options = TestOptions(first.path());
  options.compress = true;
  options.threads = 1;
  ASSERT_TRUE(Simulate(options).ok());
  options.out_folder = second.path();
  options.threads = 3;
  ASSERT_TRUE(Simulate(options).ok());
  options.out_folder = third.path();
  options.seed = 8;
  ASSERT_TRUE(Simulate(options).ok());
  const auto read = [](const TestFolder& folder, const std::string& name) {
    return *ReadFile((folder.path() / name).string());
  };
  for (const std::string name :
       {"rank0.pt.trace.json.gz", "rank1.pt.trace.json.gz", "rank2.pt.trace.json.gz",
        "rank3.pt.trace.json.gz", "truth.json"}) {
    EXPECT_TRUE(read(first, name) == read(second, name)) << name;
    EXPECT_FALSE(read(first, name) == read(third, name)) << name;
  }
}

TEST(Simulate, ReportsProgressAndWorksForOneRank) {
  const TestFolder folder;
  SimulateOptions options = TestOptions(folder.path() / "new" / "folder");
  options.ranks = 1;
  options.causes.clear();
  SimulateProgress last;
  ASSERT_TRUE(Simulate(options, [&](const SimulateProgress& now) { last = now; }).ok());
  EXPECT_EQ(last.ranks_written, 1);
  EXPECT_EQ(last.ranks, 1);
  const std::filesystem::path file = folder.path() / "new/folder/rank0.pt.trace.json";
  EXPECT_EQ(last.text_bytes, std::filesystem::file_size(file));
  EXPECT_EQ(last.events, ReadEvents(file).size());
}

TEST(Simulate, RefusesAFolderWithOtherRanks) {
  const TestFolder folder;
  std::ofstream(folder.path() / "rank4.pt.trace.json") << "{}";
  const Status status = Simulate(TestOptions(folder.path()));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("rank4.pt.trace.json"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "rank0.pt.trace.json"));
}

TEST(Simulate, AFolderThatCannotBeMadeIsAnError) {
  const TestFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const Status status = Simulate(TestOptions(folder.path() / "file" / "out"));
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("cannot create the folder"));
}

}  // namespace
}  // namespace rankscope::sim
