#include "engine/ascend_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class AscendFolderTest : public testing::Test {
 protected:
  AscendFolderTest() {
    fs::create_directories(output_);
    for (const fs::path& path : {trace_, output_ / "communication.json"}) std::ofstream(path) << 1;
  }
  ~AscendFolderTest() override { fs::remove_all(root_); }

  fs::path root_ = fs::temp_directory_path() / ("ascend_folder_test." + std::to_string(getpid()));
  fs::path folder_ = root_ / "host_7_20260101_ascend_pt";
  fs::path output_ = folder_ / "ASCEND_PROFILER_OUTPUT";
  fs::path trace_ = output_ / "trace_view.json";
};

TEST_F(AscendFolderTest, TheRankStandsBesideTheOutput) {
  EXPECT_EQ(RankBesideAscendTrace(trace_), std::nullopt);
  std::ofstream(folder_ / "profiler_info.json") << "{}";
  EXPECT_EQ(RankBesideAscendTrace(trace_), std::nullopt);
  std::ofstream(folder_ / "profiler_info_12.json") << "{}";
  EXPECT_EQ(RankBesideAscendTrace(trace_), 12);
  EXPECT_EQ(RankBesideAscendTrace(root_ / "trace_view.json"), std::nullopt);
}

TEST_F(AscendFolderTest, OnlyTheTraceIsOne) {
  EXPECT_FALSE(IsBesideAscendTrace(trace_));
  EXPECT_FALSE(IsBesideAscendTrace(output_ / "trace_view.json.gz"));
  EXPECT_TRUE(IsBesideAscendTrace(output_ / "communication.json"));
  EXPECT_TRUE(IsBesideAscendTrace(folder_ / "profiler_info_12.json"));
  EXPECT_TRUE(
      IsBesideAscendTrace(folder_ / "PROF_1" / "mindstudio_profiler_output" / "msprof.json"));
  EXPECT_FALSE(IsBesideAscendTrace(root_ / "rank0.json"));
}

}  // namespace
}  // namespace rankscope
