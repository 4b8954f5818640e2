#include "formats/flight/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::flight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kDump =
    R"({"comm_lib_version":"2.21.5","entries":[
{"collective_seq_id":3,"frames":[
  {"filename":"/usr/lib/torch/distributed/distributed_c10d.py","line":2806,"name":"all_reduce"},
  {"filename":"/home/me/train.py","line":88,"name":"step"}],
 "input_dtypes":["Float","Int"],"input_sizes":[[4,8],[]],"is_p2p":false,"output_dtypes":["Float"],
 "output_sizes":[[4,8]],"p2p_seq_id":7,"process_group":["0","undefined"],
 "profiling_name":"nccl:all_reduce","record_id":5,"retired":false,"state":"started",
 "time_created_ns":12,"timeout_ms":600000},
{"collective_seq_id":3,"is_p2p":true,"p2p_seq_id":8,"process_group":["pp","stages"],
 "profiling_name":"nccl:send 1->0","record_id":6,"state":"scheduled"}],
"pg_config":{"0":{"desc":"default_pg","name":"0","ranks":"[0, 1]"},
             "pp":{"desc":"stages","name":"pp","ranks":"[9, 4]"}},
"version":"2.4"})";

Result<FlightDump> Read(std::string_view text, const std::string& path = "dump") {
  const auto source = OpenByteSource(text);
  return ReadJson(*source, path);
}

TEST(FlightReaderTest, Calls) {
  const auto read = Read(kDump);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const FlightDump& dump = *read;
  ASSERT_EQ(dump.calls.size(), 2U);
  const Call& call = dump.calls[0];
  EXPECT_EQ(dump.Text(call.op), "all_reduce");
  EXPECT_EQ(call.sequence, 3);
  EXPECT_EQ(dump.Text(call.input_sizes), "[[4,8],[]]");
  EXPECT_EQ(dump.Text(call.input_dtypes), "[Float,Int]");
  EXPECT_EQ(call.state, CallState::kStarted);
  EXPECT_EQ(dump.Text(call.line), "/home/me/train.py:88 in step");
  EXPECT_THAT(std::string(dump.Text(call.stack)), HasSubstr("distributed_c10d.py:2806 in all_red"));
  EXPECT_EQ(call.timeout_ms, 600'000);
  // Messages have a count of their own.
  EXPECT_EQ(dump.calls[1].sequence, 8);
  EXPECT_EQ(dump.calls[1].input_sizes, kEmptyString);
  EXPECT_EQ(dump.calls[1].timeout_ms, -1);
}

TEST(FlightReaderTest, GroupsAndRank) {
  const auto dump = Read(kDump);
  ASSERT_TRUE(dump.ok());
  ASSERT_EQ(dump->groups.size(), 2U);
  EXPECT_EQ(dump->groups[0].description, "default_pg");
  EXPECT_THAT(dump->groups[1].ranks, ElementsAre(4, 9));
  // The sender in place 1 of [4, 9]; a name with digits goes before.
  EXPECT_EQ(dump->rank, 9);
  EXPECT_EQ(Read(kDump, "/tmp/nccl_trace_rank_12.json.gz")->rank, 12);
}

TEST(FlightReaderTest, WhatIsCutOffGivesWhatCameBefore) {
  const auto dump = Read(kDump.substr(0, kDump.find("{\"collective_seq_id\":3,\"is_p2p\"") + 40));
  ASSERT_TRUE(dump.ok());
  EXPECT_TRUE(dump->is_cut);
  EXPECT_EQ(dump->calls.size(), 1U);
}

TEST(FlightReaderTest, EntriesThatSayTooLittleAreCounted) {
  const auto dump = Read(
      R"({"version":"2.4","entries":[5,{"state":"started"},{"collective_seq_id":1},
          {"collective_seq_id":1,"process_group":["0","x"],"state":"lost"}]})");
  ASSERT_TRUE(dump.ok());
  ASSERT_EQ(dump->calls.size(), 1U);
  EXPECT_EQ(dump->calls[0].state, CallState::kUnknown);
  EXPECT_EQ(dump->quality.entries().size(), 3U);
}

TEST(FlightReaderTest, OtherFormatsAreRefused) {
  EXPECT_THAT(Read(R"({"version":"1.5","entries":[]})").status().message(), HasSubstr("2.x is"));
  EXPECT_THAT(Read(R"({"entries":[]})").status().message(), HasSubstr("states no version"));
}

TEST(FlightReaderTest, IsTold) {
  EXPECT_TRUE(IsDump(kDump));
  EXPECT_FALSE(
      IsDump(R"({"schemaVersion": 1, "distributedInfo": {"pg_config": [], "version": 2}})"));
  EXPECT_FALSE(IsDump(""));
}

}  // namespace
}  // namespace rankscope::flight
