#include "formats/kineto/metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope::kineto {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

struct Outcome {
  TraceMeta meta;
  std::vector<QualityEntry> problems;
};

Outcome Read(const Values& values) {
  Outcome outcome;
  QualityLog log;
  ReadMetadata(values, outcome.meta, log);
  outcome.problems = log.TakeSorted();
  return outcome;
}

TEST(Metadata, BaseTime) {
  EXPECT_EQ(Read({{"baseTimeNanoseconds", "17"}}).meta.base_ns, 17);
  EXPECT_EQ(Read({{"baseTimeNanoseconds", "\"17\""}}).meta.base_ns, 17);
  EXPECT_EQ(Read({{"baseTimeNanoseconds", "1712345678901234567"}}).meta.base_ns,
            1'712'345'678'901'234'567);
  EXPECT_TRUE(Read({{"baseTimeNanoseconds", "0"}}).meta.has_base);
  EXPECT_FALSE(Read({}).meta.has_base);
}

// A base that a time cannot be added to in 63 bits is damage.
TEST(Metadata, BaseTimesThatCannotBe) {
  const std::int64_t most = INT64_MAX / 2;
  EXPECT_EQ(Read({{"baseTimeNanoseconds", std::to_string(most)}}).meta.base_ns, most);
  const std::vector<std::string> damaged = {"x",
                                            "null",
                                            "1.5",
                                            "[1]",
                                            "\"",
                                            "",
                                            std::to_string(most + 1),
                                            std::to_string(-most - 1),
                                            "99999999999999999999"};
  for (const std::string& text : damaged) {
    const Outcome outcome = Read({{"baseTimeNanoseconds", text}});
    EXPECT_EQ(outcome.meta.base_ns, 0) << text;
    EXPECT_FALSE(outcome.meta.has_base) << text;
    ASSERT_EQ(outcome.problems.size(), 1U) << text;
    EXPECT_EQ(outcome.problems[0].code, QualityCode::kMissingMetadata);
    EXPECT_NE(outcome.problems[0].message.find("baseTimeNanoseconds"), std::string::npos);
  }
  EXPECT_FALSE(Read({{"baseTimeNanoseconds", "5"}, {"baseTimeNanoseconds", "x"}}).meta.has_base);
}

TEST(Metadata, DistributedInfo) {
  const Outcome outcome = Read({{"distributedInfo", R"({ "rank" : "2", "world_size": 16,
    "backend": "gloo", "pg_config": [ {"pg_name": "a b"} ] })"}});
  EXPECT_EQ(outcome.meta.rank, 2) << "numbers may be text";
  EXPECT_EQ(outcome.meta.world_size, 16);
  EXPECT_EQ(outcome.meta.backend, "gloo");
  EXPECT_EQ(outcome.meta.distributed_info,
            R"({"rank":"2","world_size":16,"backend":"gloo","pg_config":[{"pg_name":"a b"}]})");
  EXPECT_TRUE(outcome.problems.empty());
}

TEST(Metadata, ProcessGroups) {
  const TraceMeta meta = Read({{"distributedInfo", R"({"rank":1,"pg_count":3,"pg_config":[
      {"pg_name":"0","pg_desc":"default_pg","backend_config":"cuda:nccl","pg_size":2,"ranks":[0,1]},
      {"pg_name":7,"ranks":[1,"..."]},{"pg_name":"x","ranks":3},5]})"}})
                             .meta;
  ASSERT_EQ(meta.process_groups.size(), 4U);
  const ProcessGroup& first = meta.process_groups[0];
  EXPECT_EQ(first.name, "0");
  EXPECT_EQ(first.description, "default_pg");
  EXPECT_EQ(first.backend, "cuda:nccl");
  EXPECT_EQ(first.ranks, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(meta.process_groups[1].name, "7");
  EXPECT_TRUE(meta.process_groups[1].ranks.empty()) << "cut off by the profiler";
  EXPECT_TRUE(meta.process_groups[2].ranks.empty());
  EXPECT_EQ(meta.process_groups[3].name, "");
}

TEST(Metadata, WrongTypesAreUnknown) {
  const Outcome outcome = Read({{"distributedInfo", R"({"rank":1.5,"world_size":[],"backend":7})"},
                                {"deviceProperties", R"({"id":1})"},
                                {"host_name", "5"},
                                {"trace_id", "null"}});
  EXPECT_EQ(outcome.meta.rank, -1);
  EXPECT_EQ(outcome.meta.world_size, -1);
  EXPECT_EQ(outcome.meta.backend, "");
  EXPECT_TRUE(outcome.meta.devices.empty());
  EXPECT_EQ(outcome.meta.host_name, "");
  EXPECT_EQ(outcome.meta.trace_id, "");
  EXPECT_EQ(Read({{"distributedInfo", "[]"}}).meta.rank, -1);
}

TEST(Metadata, DamagedValuesAreReportedAndTheRestIsRead) {
  const Outcome outcome = Read({{"distributedInfo", R"({"rank":)"},
                                {"host_name", "\"\xFF\""},
                                {"trace_id", "\"t\\u0041\""},
                                {"unknown", "%%%"}});
  EXPECT_EQ(outcome.meta.rank, -1);
  EXPECT_EQ(outcome.meta.distributed_info, "");
  EXPECT_EQ(outcome.meta.trace_id, "tA");
  EXPECT_EQ(outcome.problems.size(), 2U);
}

TEST(Metadata, Devices) {
  const Outcome outcome = Read({{"deviceProperties", R"([
    {"id":3,"name":"A","totalGlobalMem":85899345920,"numSms":132,"computeMajor":9,"computeMinor":1,
     "warpSize":32,"maxThreadsPerMultiprocessor":2048},
    {"name":"B","numSms":99999999999},
    5])"}});
  ASSERT_EQ(outcome.meta.devices.size(), 3U);
  const DeviceProperties& a = outcome.meta.devices[0];
  EXPECT_EQ(a.id, 3);
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(a.memory_bytes, 85'899'345'920);
  EXPECT_EQ(a.sm_count, 132);
  EXPECT_EQ(a.compute_major, 9);
  EXPECT_EQ(a.compute_minor, 1);
  EXPECT_EQ(a.warp_size, 32);
  EXPECT_EQ(a.max_threads_per_sm, 2048);
  const DeviceProperties& b = outcome.meta.devices[1];
  EXPECT_EQ(b.id, 0);
  EXPECT_EQ(b.sm_count, -1) << "a number that does not fit is unknown";
  EXPECT_EQ(b.memory_bytes, -1);
}

}  // namespace
}  // namespace rankscope::kineto
