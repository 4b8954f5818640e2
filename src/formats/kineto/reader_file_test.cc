// The reader on whole files: phases, order of keys, duplicates, metadata, threads, damage.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "formats/columnar/check.h"
#include "formats/kineto/read_for_test.h"
#include "formats/kineto/reader.h"
#include "formats/same_trace_for_test.h"

namespace rankscope::kineto {
namespace {

RankTrace MustReadText(std::string_view text, const ReadOptions& options = {}) {
  Result<RankTrace> trace = ReadText(text, options);
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_TRUE(columnar::IsSound(*trace));
  return std::move(trace).value();
}

std::int64_t CountOf(const RankTrace& trace, QualityCode code) {
  std::int64_t count = 0;
  for (const QualityEntry& entry : trace.meta.quality) {
    if (entry.code == code) count += entry.count;
  }
  return count;
}

TEST(ReaderFile, Metadata) {
  const RankTrace trace = MustReadText(R"({"schemaVersion":1,
    "deviceProperties":[{"id":1,"name":"NVIDIA H100","totalGlobalMem":85899345920,"numSms":132,
      "computeMajor":9,"computeMinor":0,"warpSize":32,"maxThreadsPerMultiprocessor":2048}],
    "traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
      {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python \"3\""}},
      {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}},
      {"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":5}}],
    "distributedInfo":{"backend": "nccl","rank":3,"world_size":8},"host_name":"node7",
    "trace_id":"ABC","baseTimeNanoseconds":1700000000000000000})");
  const TraceMeta& meta = trace.meta;
  EXPECT_EQ(meta.path, "file");
  EXPECT_EQ(meta.base_ns, 1'700'000'000'000'000'000);
  EXPECT_TRUE(meta.has_base);
  EXPECT_EQ(meta.rank, 3);
  EXPECT_EQ(meta.world_size, 8);
  EXPECT_EQ(meta.backend, "nccl");
  EXPECT_EQ(meta.distributed_info, R"({"backend":"nccl","rank":3,"world_size":8})");
  EXPECT_EQ(meta.host_name, "node7");
  EXPECT_EQ(meta.trace_id, "ABC");
  ASSERT_EQ(meta.devices.size(), 1U);
  EXPECT_EQ(meta.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(meta.devices[0].sm_count, 132);
  EXPECT_EQ(meta.metadata_count, 3U);
  EXPECT_EQ(meta.event_count, 4U);
  EXPECT_TRUE(meta.quality.empty());
  EXPECT_EQ(trace.strings.Get(trace.tracks[0].process), "python \"3\"");
  EXPECT_EQ(trace.strings.Get(trace.tracks[0].name), "main");
}

TEST(ReaderFile, MissingMetadataIsUnknown) {
  const RankTrace trace = MustReadText(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])");
  EXPECT_EQ(trace.meta.rank, -1);
  EXPECT_EQ(trace.meta.world_size, -1);
  EXPECT_FALSE(trace.meta.has_base);
  EXPECT_EQ(trace.meta.base_ns, 0);
  EXPECT_EQ(trace.row_count(), 1U);
}

TEST(ReaderFile, KeysInAnyOrderAndDuplicates) {
  const char* const orders[] = {
      R"({"ph":"X","name":"n","cat":"cuda_runtime","pid":1,"tid":2,"ts":3,"dur":4,"args":{"correlation":5}})",
      R"({"args":{"correlation":5},"dur":4,"ts":3,"tid":2,"pid":1,"cat":"cuda_runtime","name":"n","ph":"X"})",
      R"({"tid":2,"args":{"ph":"M","ts":77,"name":"inner","x":{"dur":9},"correlation":5},"ts":3,"name":"n","unknown":[{"ts":8}],"dur":4,"ph":"X","pid":1,"cat":"cuda_runtime"})",
      R"({"ph":"B","ph":"X","name":"old","name":"n","cat":"cuda_runtime","ts":99,"pid":1,"tid":2,"ts":3,"dur":4,"args":{"correlation":6,"External id":3},"args":{"correlation":4,"correlation":5}})"};
  for (const char* event : orders) {
    const RankTrace trace = MustReadText("[" + std::string(event) + "]");
    ASSERT_EQ(trace.row_count(), 1U) << event;
    EXPECT_EQ(trace.name_of(0), "n") << event;
    EXPECT_EQ(trace.kind[0], EventKind::kRuntime) << event;
    EXPECT_EQ(trace.ts_ns[0], 3000) << event;
    EXPECT_EQ(trace.dur_ns[0], 4000) << event;
    EXPECT_EQ(trace.correlation[0], 5) << event;
    EXPECT_EQ(trace.external_id[0], kNoId) << event;
  }
}

TEST(ReaderFile, BeginAndEndEvents) {
  const RankTrace trace = MustReadText(R"([
    {"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":1},
    {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":2},
    {"ph":"E","pid":1,"tid":1,"ts":5},
    {"ph":"E","pid":1,"tid":1,"ts":9},
    {"ph":"E","pid":1,"tid":1,"ts":10},
    {"ph":"B","cat":"cpu_op","name":"open","pid":1,"tid":1,"ts":11}])");
  ASSERT_EQ(trace.row_count(), 3U);
  EXPECT_EQ(trace.dur_ns[0], 8000);
  EXPECT_EQ(trace.dur_ns[1], 3000);
  EXPECT_EQ(trace.parent[1], 0U);
  EXPECT_EQ(trace.dur_ns[2], kNoDuration);
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedBegin), 2);
  EXPECT_EQ(trace.meta.event_count, 6U);
}

TEST(ReaderFile, BadEventsAreCountedAndKeepTheirPlace) {
  const RankTrace trace = MustReadText(R"([
    {"name":"no phase","ts":1},
    {"ph":"XX","name":"odd phase","ts":1},
    {"ph":"X","name":"no time"},
    {"ph":"X","name":"no number","ts":"soon"},
    {"ph":"X","name":"too late","ts":9e15},
    {"ph":"X","name":"ends too late","ts":1,"dur":9e15},
    {"ph":"X","name":"negative length","pid":1,"tid":1,"ts":1,"dur":-5},
    {"ph":"X","name":"good","pid":1,"tid":1,"ts":2,"dur":1}])");
  ASSERT_EQ(trace.row_count(), 2U);
  EXPECT_EQ(trace.source[0], 6U);
  EXPECT_EQ(trace.dur_ns[0], kNoDuration);
  EXPECT_EQ(trace.source[1], 7U);
  EXPECT_EQ(trace.meta.event_count, 8U);
  EXPECT_EQ(trace.meta.bad_event_count, 6U);
  EXPECT_EQ(CountOf(trace, QualityCode::kBadEvent), 7);
}

TEST(ReaderFile, FlowsBecomeLinks) {
  const RankTrace trace = MustReadText(R"([
    {"ph":"X","cat":"cpu_op","name":"forward","pid":1,"tid":1,"ts":1,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"backward","pid":1,"tid":2,"ts":5,"dur":1},
    {"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":1,"ts":1},
    {"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":2,"ts":5,"bp":"e"},
    {"ph":"s","cat":"ac2g","name":"ac2g","id":2,"pid":1,"tid":1,"ts":1},
    {"ph":"f","cat":"ac2g","name":"ac2g","id":2,"pid":0,"tid":7,"ts":3,"bp":"e"}])");
  EXPECT_EQ(trace.row_count(), 2U);
  EXPECT_EQ(trace.meta.flow_count, 4U);
  ASSERT_EQ(trace.forward_backward.size(), 1U);
  EXPECT_EQ(trace.name_of(trace.forward_backward[0].from), "forward");
  EXPECT_EQ(trace.name_of(trace.forward_backward[0].to), "backward");
}

TEST(ReaderFile, NamesAreUnescapedAndRepaired) {
  const RankTrace trace = MustReadText(
      "[{\"ph\":\"X\",\"name\":\"\\u00e9\\n\\\"\\ud83d\\ude00\",\"ts\":1},"
      "{\"ph\":\"X\",\"name\":\"cut \\u12\",\"ts\":2},"
      "{\"ph\":\"X\",\"name\":\"bad \xFF\",\"ts\":3},"
      "{\"ph\":\"X\",\"name\":\"tab\tline\n\",\"ts\":4},{\"ph\":\"X\",\"name\":\"last\",\"ts\":5}"
      "]");
  ASSERT_EQ(trace.row_count(), 5U);
  EXPECT_EQ(trace.name_of(0), "\xC3\xA9\n\"\xF0\x9F\x98\x80");
  EXPECT_EQ(trace.name_of(1), "cut \xEF\xBF\xBD");
  EXPECT_EQ(trace.name_of(2), "bad \xEF\xBF\xBD");
  EXPECT_EQ(trace.name_of(3), "tab line ");
  EXPECT_EQ(trace.name_of(4), "last");
  EXPECT_EQ(CountOf(trace, QualityCode::kInvalidUtf8), 1);
  EXPECT_EQ(CountOf(trace, QualityCode::kInvalidJson), 1);
  EXPECT_EQ(trace.meta.bad_event_count, 0U);
}

TEST(ReaderFile, LongStringsAreCut) {
  std::string name;
  while (name.size() < 70'000) name += "\xE2\x82\xAC";
  const RankTrace trace = MustReadText("[{\"ph\":\"X\",\"ts\":1,\"name\":\"" + name + "\"}]");
  EXPECT_EQ(CountOf(trace, QualityCode::kTooLarge), 1);
  const std::string_view kept = trace.name_of(0);
  EXPECT_LE(kept.size(), 65'536U);
  EXPECT_GT(kept.size(), 65'536U - 4);
  EXPECT_TRUE(name.starts_with(kept));
  EXPECT_EQ(kept.size() % 3, 0U);  // not inside of a character
}

// A row's source is its index in the file, whatever was lost before it and however the file is cut.
TEST(ReaderFile, SourcesCountLostElements) {
  const std::string text =
      R"([{"ph":"X","ts":1,"name":"a"}, 5, [1, {"x": 2}], {"ph":"X","ts":2,"name":"b"},
    {"ph":"X","ts":3,"name":"un"quoted"}, {"ph":"X","ts":4,"name":"c"}, {"ph":"X","name":"no time"}, {"ph":"X","ts":5,"name":"d"}])";
  for (const std::size_t chunk_bytes : {16, 64, 100, 1 << 20}) {
    ReadOptions options;
    options.split.chunk_bytes = chunk_bytes;
    const auto source = OpenByteSource(std::string_view(text));
    const Result<RankTrace> trace = ReadTrace(*source, "test", options);
    ASSERT_TRUE(trace.ok());
    std::string found;
    for (Row row = 0; row < trace->row_count(); ++row) {
      found += std::string(trace->name_of(row)) + std::to_string(trace->source[row]) + " ";
    }
    EXPECT_EQ(found, "a0 b3 c5 d7 ") << chunk_bytes;
    EXPECT_EQ(trace->meta.event_count, 8U);
    EXPECT_EQ(trace->meta.bad_event_count, 4U);
  }
}

// A step like those of a training loop, with every link that loading makes.
std::string RandomEvents(int count) {
  std::mt19937 random(4);
  std::string text;
  const auto number = [&](unsigned limit) { return std::to_string(random() % limit); };
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += random() % 2 == 0 ? "," : ",\n  ";
    const std::string ts = number(100'000) + "." + number(1000);
    const std::string id = std::to_string(1 + random() % 300);
    switch (random() % 8) {
      case 0:
        text += R"({"ph":"X","cat":"kernel","name":"k<)" + number(20) +
                R"(>{}","pid":0,"tid":7,"ts":)" + ts + R"(,"dur":5,"args":{"stream":)" + number(4) +
                R"(,"device":0,"correlation":)" + id + R"(,"grid":[1,2,3],"Collective name":"c)" +
                number(3) + R"("}})";
        break;
      case 1:
        text += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":)" +
                number(3) + R"(,"ts":)" + ts + R"(,"dur":2,"args":{"correlation":)" + id + "}}";
        break;
      case 2:
        text += R"({"ph":"B","cat":"cpu_op","name":"b)" + number(9) + R"(","pid":9,"tid":1,"ts":)" +
                ts + "}";
        break;
      case 3:
        text += R"({"ph":"E","pid":9,"tid":1,"ts":)" + ts + "}";
        break;
      case 4:
        text += R"({"ph":"s","cat":"fwdbwd","id":)" + id + R"(,"pid":9,"tid":2,"ts":)" + ts + "}";
        break;
      case 5:
        text += R"({"ph":"M","name":"thread_name","pid":9,"tid":)" + number(3) +
                R"(,"args":{"name":"t)" + number(50) + R"("}})";
        break;
      default:
        text += R"({"args":{"Input Dims":[[)" + number(5) + R"(, 2]],"Sequence number":)" + id +
                R"(},"name":"op )" + number(40) + R"( \"}","cat":"cpu_op","tid":)" + number(3) +
                R"(,"pid":9,"dur":)" + number(50) + R"(,"ts":)" + ts + R"(,"ph":"X"})";
    }
  }
  return text;
}

TEST(ReaderFile, AnyNumberOfThreadsGivesTheSameTrace) {
  const std::string text = R"({"distributedInfo":{"rank":0},"traceEvents":[)" + RandomEvents(3000) +
                           R"(],"host_name":"h"})";
  for (const std::size_t chunk_bytes : {64, 1000, 20'000}) {
    ReadOptions options;
    options.split.chunk_bytes = chunk_bytes;
    const RankTrace one = MustReadText(text, options);
    EXPECT_EQ(one.meta.event_count, 3000U);
    EXPECT_GT(one.launch_kernels.size(), 100U);
    for (const int threads : {2, 4}) {
      options.threads = threads;
      ExpectSame(MustReadText(text, options), one);
    }
  }
}

// Ids of strings depend on where chunks end, what they mean does not.
TEST(ReaderFile, ChunkSizesGiveTheSameRows) {
  const std::string text = "[" + RandomEvents(1000) + "]";
  const RankTrace whole = MustReadText(text);
  for (const std::size_t chunk_bytes : {16, 100, 4096}) {
    ReadOptions options;
    options.split.chunk_bytes = chunk_bytes;
    const RankTrace pieces = MustReadText(text, options);
    ASSERT_EQ(pieces.row_count(), whole.row_count());
    for (Row row = 0; row < whole.row_count(); ++row) {
      ASSERT_EQ(pieces.source[row], whole.source[row]);
      ASSERT_EQ(pieces.name_of(row), whole.name_of(row));
      ASSERT_EQ(pieces.ts_ns[row], whole.ts_ns[row]);
      ASSERT_EQ(pieces.dur_ns[row], whole.dur_ns[row]);
      ASSERT_EQ(pieces.track[row], whole.track[row]);
      ASSERT_EQ(pieces.parent[row], whole.parent[row]);
      ASSERT_EQ(pieces.link[row], whole.link[row]);
    }
  }
}

TEST(ReaderFile, WhatIsNoTraceIsOneClearError) {
  const std::pair<const char*, const char*> cases[] = {{"", "empty"},
                                                       {"hello", "not a trace"},
                                                       {R"({"a":1})", "no traceEvents"},
                                                       {"[1,2]", "a JSON list"},
                                                       {"\x1f\x8b\x08", "cut off"}};
  for (const auto& [text, part] : cases) {
    const Result<RankTrace> trace = ReadText(text);
    ASSERT_FALSE(trace.ok()) << text;
    EXPECT_EQ(trace.status().code(), StatusCode::kBadData);
    EXPECT_TRUE(trace.status().message().starts_with("file: ")) << trace.status().message();
    EXPECT_NE(trace.status().message().find(part), std::string::npos) << trace.status().message();
  }
  EXPECT_TRUE(ReadText(R"({"traceEvents":[]})").ok());
  EXPECT_EQ(ReadTrace("/no/such/file.json").status().code(), StatusCode::kNotFound);
}

TEST(ReaderFile, ProgressCanStopIt) {
  ReadOptions options;
  options.split.chunk_bytes = 100;
  options.threads = 2;
  int calls = 0;
  options.progress = [&](double fraction, std::uint64_t) {
    EXPECT_LE(fraction, 1.0);
    return ++calls < 3;
  };
  const Result<RankTrace> trace = ReadText("[" + RandomEvents(500) + "]", options);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

TEST(ReaderFile, DamageLosesOneEventOnly) {
  std::string text = "[";
  for (int i = 0; i < 30; ++i) {
    const std::string name = i == 11 ? "a\"b" : "n" + std::to_string(i);
    text += "{\"ph\":\"X\",\"name\":\"" + name +
            "\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(i) + ",\"dur\":1}" +
            (i < 29 ? ",\n" : "]");
  }
  for (const std::size_t chunk_bytes : {64, 1 << 20}) {
    ReadOptions options;
    options.split.chunk_bytes = chunk_bytes;
    const RankTrace trace = MustReadText(text, options);
    EXPECT_EQ(trace.row_count(), 29U);
    EXPECT_EQ(trace.meta.event_count, 30U);
    EXPECT_EQ(trace.meta.bad_event_count, 1U);
    EXPECT_EQ(CountOf(trace, QualityCode::kInvalidJson), 1);
  }
}

}  // namespace
}  // namespace rankscope::kineto
