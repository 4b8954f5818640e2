#include "formats/kineto/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "json/reader.h"

namespace rankscope::kineto {
namespace {

using ::testing::HasSubstr;

class KinetoWriterTest : public ::testing::Test {
 protected:
  KinetoWriterTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rs_writer_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~KinetoWriterTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t FilesInFolder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  template <typename Fill>
  std::string Written(Fill fill, const TraceHeader& header = {}) const {
    auto writer = Writer::Create(Path("t.json"), header);
    EXPECT_TRUE(writer.ok());
    fill(**writer);
    EXPECT_TRUE((*writer)->Finish().ok());
    const auto text = ReadFile(Path("t.json"));
    EXPECT_EQ((*writer)->text_bytes(), text->size());
    return *text;
  }

  std::filesystem::path folder_;
};

std::string Micros(std::int64_t ns) {
  TextBuffer text(64);
  text.Micros(ns);
  return std::string(text.text());
}

std::string Escaped(std::string_view value) {
  TextBuffer text(6 * value.size());
  text.Escaped(value);
  return std::string(text.text());
}

TEST(TextBuffer, PrintsNanosecondsAsMicrosecondsExactly) {
  EXPECT_EQ(Micros(0), "0.000");
  EXPECT_EQ(Micros(7), "0.007");
  EXPECT_EQ(Micros(4458676522690655), "4458676522690.655");
  EXPECT_EQ(Micros(-1), "-0.001");
  EXPECT_EQ(Micros(std::numeric_limits<std::int64_t>::max()), "9223372036854775.807");
  EXPECT_EQ(Micros(std::numeric_limits<std::int64_t>::min()), "-9223372036854775.808");
}

TEST(TextBuffer, PrintsSixDecimals) {
  TextBuffer text(64);
  text.Fixed6(75.851852);
  text.Literal(" ");
  text.Fixed6(0.009259259);
  EXPECT_EQ(text.text(), "75.851852 0.009259");
}

TEST(TextBuffer, EscapesWhatJsonForbidsAtEveryPosition) {
  for (std::size_t at = 0; at < 20; ++at) {
    std::string value(20, 'x');
    value[at] = '"';
    EXPECT_EQ(Escaped(value), value.substr(0, at) + "\\\"" + value.substr(at + 1));
    value[at] = '\\';
    EXPECT_EQ(Escaped(value), value.substr(0, at) + "\\\\" + value.substr(at + 1));
    value[at] = '\x1f';
    EXPECT_EQ(Escaped(value), value.substr(0, at) + "\\u001f" + value.substr(at + 1));
    value[at] = '\xe9';
    EXPECT_EQ(Escaped(value), value);
  }
}

TEST_F(KinetoWriterTest, WritesAKernelAsKinetoDoes) {
  const std::string text = Written([](Writer& writer) {
    writer.Kernel({.name = "gemm<float>",
                   .device = 1,
                   .stream = 7,
                   .ts_ns = 4458676983543183,
                   .dur_ns = 41407,
                   .external_id = 12353,
                   .correlation = 57541,
                   .registers_per_thread = 40,
                   .shared_memory_bytes = 400,
                   .blocks_per_sm = 4.7407407,
                   .warps_per_sm = 75.851852,
                   .grid = {512, 2, 1},
                   .block = {128, 1, 1},
                   .occupancy_pct = 75});
  });
  EXPECT_THAT(text, HasSubstr(R"(
  {
    "ph": "X", "cat": "kernel", "name": "gemm<float>", "pid": 1, "tid": 7,
    "ts": 4458676983543.183, "dur": 41.407,
    "args": {
      "External id": 12353,
      "queued": 0, "device": 1, "context": 1,
      "stream": 7, "correlation": 57541,
      "registers per thread": 40,
      "shared memory": 400,
      "blocks per SM": 4.740741,
      "warps per SM": 75.851852,
      "grid": [512, 2, 1],
      "block": [128, 1, 1],
      "est. achieved occupancy %": 75
    }
  }
  ],)"));
}

TEST_F(KinetoWriterTest, WritesAPythonFrameAsKinetoDoes) {
  const std::string text = Written([](Writer& writer) {
    writer.Python({.name = "nn.Module: Linear_3",
                   .pid = 12,
                   .tid = 13,
                   .ts_ns = 2001,
                   .dur_ns = 500,
                   .id = 8,
                   .parent_id = 7,
                   .module_id = 3,
                   .event_index = 21});
    writer.Python({.name = "train.py(1): <module>", .id = 1, .event_index = 0});
  });
  EXPECT_THAT(text, HasSubstr(R"(
    "ph": "X", "cat": "python_function", "name": "nn.Module: Linear_3", "pid": 12, "tid": 13,
    "ts": 2.001, "dur": 0.500,
    "args": {
      "Python parent id": 7, "Python id": 8, "Python module id": 3, "Ev Idx": 21
    })"));
  EXPECT_THAT(text, HasSubstr(R"("Python parent id": null, "Python id": 1, "Ev Idx": 0)"));
}

TEST_F(KinetoWriterTest, AKernelOfAGraphSaysWhichNodeItIs) {
  const std::string text = Written([](Writer& writer) {
    writer.Kernel({.name = "node", .graph_id = 3, .graph_node_id = 12884901890});
    writer.Kernel({.name = "no node"});
  });
  EXPECT_THAT(text, HasSubstr(R"("est. achieved occupancy %": 0,
      "graph id": 3, "graph node id": 12884901890
    })"));
  EXPECT_EQ(text.find("graph id", text.find("no node")), std::string::npos);
}

TEST_F(KinetoWriterTest, WritesFlowsMemoryAndMetadataAsKinetoDoes) {
  const std::string text = Written([](Writer& writer) {
    writer.FlowStart({.id = 9, .pid = 10, .tid = -11, .ts_ns = 1001});
    writer.FlowEnd(
        {.kind = FlowKind::kForwardBackward, .id = 9, .pid = 0, .tid = 7, .ts_ns = 2000});
    writer.Memory({.pid = 1,
                   .tid = 2,
                   .ts_ns = 3000,
                   .total_reserved_bytes = 8,
                   .total_allocated_bytes = 6,
                   .bytes = -2,
                   .address = 4,
                   .event_index = 5});
    writer.Thread(0, 7, 1000, "stream 7 ", 7);
  });
  EXPECT_THAT(text, HasSubstr(R"({
    "ph": "s", "id": 9, "pid": 10, "tid": -11, "ts": 1.001,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 2.000,
    "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"
  },)"));
  EXPECT_THAT(text,
              HasSubstr(R"("Total Reserved": 8, "Total Allocated": 6, "Bytes": -2, "Addr": 4, )"
                        R"("Device Id": 0, "Device Type": 1, "Ev Idx": 5)"));
  EXPECT_THAT(text, HasSubstr(R"({
    "name": "thread_name", "ph": "M", "ts": 1.000, "pid": 0, "tid": 7,
    "args": {
      "name": "stream 7 "
    }
  })"));
}

TEST_F(KinetoWriterTest, EveryKindOfEventIsJson) {
  TraceHeader header;
  header.base_ns = 1711964646000000000;
  header.devices = {{.id = 0, .name = "NVIDIA \"A\"", .sm_count = 108}, {.id = 1, .name = "B"}};
  header.rank = 3;
  header.world_size = 4;
  header.nccl_version = "2.21.5";
  header.groups = {{.name = "0", .description = "default_pg", .ranks = {0, 1, 2, 3}}};
  header.trace_name = "dir\\file.json";
  header.trace_id = "AB";
  header.record_shapes = header.profile_memory = true;
  const std::string text = Written(
      [](Writer& writer) {
        const CollectiveEventArgs collective{.name = "allreduce",
                                             .in_elements = 5,
                                             .out_elements = 5,
                                             .group_size = 4,
                                             .dtype = "BFloat16",
                                             .group_name = "0",
                                             .group_description = "default_pg",
                                             .group_ranks = "[0, 1, 2, 3]",
                                             .sequence = 17};
        const OpShapes shapes{"[[2, 3], []]", R"(["float", ""])", R"(["", "1"])"};
        writer.Op({.name = "bare"});
        writer.Op({.name = "a \"quoted\" op",
                   .external_id = 1,
                   .record_function_id = 2,
                   .sequence_number = 3,
                   .event_index = 4,
                   .shapes = &shapes,
                   .collective = &collective});
        writer.Runtime({.name = "cudaLaunchKernel", .cbid = 211, .correlation = 5});
        writer.Kernel({.name = "nccl", .collective = &collective});
        writer.Copy({.name = "Memcpy", .dur_ns = 3, .bytes = 1});
        writer.Copy({.category = "gpu_memset", .name = "Memset (Device)", .bytes = 1});
        writer.Sync({.name = "Stream Sync", .stream = 7});
        writer.Sync({.name = "Stream Wait Event",
                     .stream = 7,
                     .wait_on_stream = 20,
                     .wait_on_record_correlation = 6,
                     .wait_on_event_id = 1});
        writer.DeviceAnnotation({.name = "ProfilerStep#1", .external_id = 1});
        writer.Process(4, 0, "python3", "CPU", 4);
        writer.ProfilerSpan(0, 5, "PyTorch Profiler", 0);
        writer.RecordWindowEnd(9);
        EXPECT_EQ(writer.event_count(), 16U);
      },
      header);

  const auto reader = json::Reader::Parse(text);
  ASSERT_TRUE(reader.ok()) << text;
  const json::Value root = reader->root();
  EXPECT_EQ(root["schemaVersion"].Integer(), 1);
  EXPECT_EQ(root["baseTimeNanoseconds"].Integer(), 1711964646000000000);
  EXPECT_EQ(root["displayTimeUnit"].Text(), "ms");
  EXPECT_EQ(root["traceName"].Text(), "dir\\file.json");
  EXPECT_EQ(root["deviceProperties"].At(0)["name"].Text(), "NVIDIA \"A\"");
  EXPECT_EQ(root["distributedInfo"]["world_size"].Integer(), 4);
  EXPECT_EQ(root["distributedInfo"]["pg_config"].At(0)["ranks"].At(3).Integer(), 3);
  const std::vector<json::Value> events = root["traceEvents"].Items();
  ASSERT_EQ(events.size(), 16U);
  const json::Value& op = events[1];
  EXPECT_EQ(op["name"].Text(), "a \"quoted\" op");
  EXPECT_EQ(op["args"]["Seq"].Integer(), 17);
  EXPECT_EQ(op["args"]["Input Dims"].At(0).At(1).Integer(), 3);
  EXPECT_EQ(events[3]["args"]["Group size"].Integer(), 4);
  EXPECT_EQ(events[5]["args"]["memory bandwidth (GB/s)"].Text(), "N/A");
  EXPECT_EQ(events[7]["args"]["wait_on_cuda_event_record_corr_id"].Integer(), 6);
}

TEST_F(KinetoWriterTest, GzipHoldsTheSameText) {
  const auto fill = [](Writer& writer) {
    for (int i = 0; i < 50000; ++i) writer.Op({.name = "aten::mm", .ts_ns = i, .external_id = i});
  };
  const std::string plain = Written(fill);
  auto writer = Writer::Create(Path("t.json.gz"), {});
  ASSERT_TRUE(writer.ok());
  fill(**writer);
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->text_bytes(), plain.size());
  EXPECT_LT(std::filesystem::file_size(Path("t.json.gz")), plain.size() / 4);

  std::string inflated(plain.size() + 1, '\0');
  const gzFile file = gzopen(Path("t.json.gz").c_str(), "rb");
  const int count = gzread(file, inflated.data(), static_cast<unsigned>(inflated.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  ASSERT_EQ(count, static_cast<int>(plain.size()));
  inflated.pop_back();
  EXPECT_EQ(inflated, plain);
}

TEST_F(KinetoWriterTest, AnEnormousNameIsWrittenWhole) {
  const std::string name(3 << 20, '"');
  const std::string text = Written([&](Writer& writer) { writer.Op({.name = name}); });
  const auto reader = json::Reader::Parse(text);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->root()["traceEvents"].At(0)["name"].Text(), name);
}

TEST_F(KinetoWriterTest, WithoutFinishNoFileAppears) {
  {
    auto writer = Writer::Create(Path("t.json.gz"), {});
    ASSERT_TRUE(writer.ok());
    (*writer)->Op({.name = "aten::mm"});
  }
  EXPECT_EQ(FilesInFolder(), 0U);
}

TEST_F(KinetoWriterTest, AFolderThatIsNotThereIsAnError) {
  const auto writer = Writer::Create(Path("missing/t.json"), {});
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().code(), StatusCode::kIo);
  EXPECT_THAT(writer.status().message(), HasSubstr("missing/t.json"));
}

}  // namespace
}  // namespace rankscope::kineto
