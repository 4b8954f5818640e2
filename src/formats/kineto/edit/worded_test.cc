#include "formats/kineto/edit/worded.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "formats/columnar/check.h"
#include "formats/format.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {
namespace {

class WordedTest : public testing::Test {
 protected:
  ~WordedTest() override { std::filesystem::remove(path_); }

  void Write(std::string_view text) { std::ofstream(path_) << text; }
  // An op with a launch on a host, and its kernel, of a rank in words.
  static std::string Rank(std::string_view words, int pid, std::string_view device, int ts) {
    return fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":"{0} {1}","tid":1,"ts":{3},"dur":90}},
           {{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":"{0} {1}","tid":1,"ts":{3},
             "dur":2,"args":{{"correlation":1}}}},
           {{"ph":"X","cat":"kernel","name":"k","pid":"{0} {2}","tid":7,"ts":{4},"dur":5,
             "args":{{"device":0,"stream":7,"correlation":1}}}})",
        words, pid, device, ts, ts + 10);
  }
  RankTrace Read(int part) {
    auto trace = ReadTraceFile(path_, {.part = part});
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    EXPECT_TRUE(columnar::IsSound(*trace));
    return std::move(trace).value();
  }

  std::string path_ = std::filesystem::temp_directory_path() /
                      ("worded_test." + std::to_string(getpid()) + ".json");
};

TEST_F(WordedTest, EachRankIsATrace) {
  Write(R"({"distributedInfo":{"rank":5,"world_size":9},"traceEvents":[)" +
        Rank("[TP01]", 5001, "0", 3) + "," + Rank("[TP00]", 5000, "0", 0) +
        R"(,{"ph":"X","cat":"cpu_op","name":"of none","pid":3,"tid":1,"ts":0,"dur":1}],
        "deviceProperties":[{"id":0,"name":"H100"}]})");
  EXPECT_EQ(PartsOf(path_), (std::vector<std::string>{"TP00", "TP01"}));
  for (int part = 0; part < 2; ++part) {
    const RankTrace trace = Read(part);
    EXPECT_EQ(trace.meta.rank, part);
    EXPECT_EQ(trace.meta.world_size, 2);
    ASSERT_EQ(trace.meta.devices.size(), 1U);
    EXPECT_EQ(trace.row_count(), 3U);
    ASSERT_EQ(trace.steps.size(), 1U);
    EXPECT_EQ(trace.launch_kernels.size(), 1U);
    EXPECT_EQ(trace.tracks[0].first, 5000 + part) << "the pid without its words";
    ASSERT_EQ(trace.meta.quality.size(), 1U);
    EXPECT_EQ(
        trace.meta.quality[0].message,
        fmt::format("rank {} is one of 2 in the file, told apart by words in pid "
                    "(\"TP0{}\"), since the file does not state ranks; events whose pid names "
                    "no rank are in none of them: 1",
                    part, part));
  }
}

TEST_F(WordedTest, NumbersBehindRankAreRanks) {
  Write("[" + Rank("rank 4:", 9, "GPU 4", 0) + "," + Rank("rank 2:", 9, "GPU 2", 0) + "]");
  EXPECT_EQ(PartsOf(path_), (std::vector<std::string>{"rank 2", "rank 4"}));
  EXPECT_EQ(Read(1).meta.rank, 4);
  EXPECT_EQ(Read(1).meta.world_size, 5);
}

TEST_F(WordedTest, LocalRanksOfNodesCount) {
  Write("[" + Rank("node1 rank0", 9, "x", 0) + "," + Rank("node0 rank0", 9, "x", 0) + "]");
  EXPECT_EQ(PartsOf(path_), (std::vector<std::string>{"node0 rank0", "node1 rank0"}));
  EXPECT_EQ(Read(1).meta.rank, 1);
}

TEST_F(WordedTest, OneRankIsReadAsTheFile) {
  Write("[" + Rank("[TP00]", 9, "0", 0) + "]");
  EXPECT_EQ(Read(kWholeFile).launch_kernels.size(), 1U);
}

TEST_F(WordedTest, OtherFilesHaveNoParts) {
  Write(R"({"traceEvents":[{"ph":"X","name":"a","pid":"Spans","tid":1,"ts":1,"dur":1}]})");
  EXPECT_TRUE(PartsOf(path_).empty());
  Write("not JSON");
  EXPECT_TRUE(PartsOf(path_).empty());
}

}  // namespace
}  // namespace rankscope::kineto
