// Writes the first inputs of the fuzz targets:
//
//   fuzz_seeds TRACE_DIR OUT_DIR
//
// TRACE_DIR holds traces as tests/reference/odd_files.py writes them; OUT_DIR gets a folder per
// target. Every seed begins with the two option bytes of fuzz/input.h. The same on every machine.
#include <fmt/core.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/gzip.h"
#include "base/status.h"
#include "formats/columnar/cache_file.h"
#include "formats/kineto/reader.h"
#include "input.h"
#include "table/codec.h"
#include "timeline/file_format.h"
#include "timeline/links.h"
#include "wire/kineto_message.h"
#include "wire/rpc_frame.h"

namespace rankscope::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSeedBytes = 16 * 1024;
constexpr char kOptions[kOptionBytes + 1] = "\x41\x40";  // odd: checksums are made right

Status WriteFile(const fs::path& folder, const std::string& name, std::string_view data) {
  std::error_code ignored;  // the write below says what is wrong
  fs::create_directories(folder, ignored);
  return WriteFileAtomically((folder / name).string(), data);
}

Status WriteSeed(const fs::path& folder, const std::string& name, std::string_view data) {
  return WriteFile(folder, name, std::string(kOptions) + std::string(data));
}

Status WriteTraceSeeds(const fs::path& file, const fs::path& out) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.string()));
  if (text.size() > kMaxSeedBytes) return OkStatus();
  const std::string name = file.filename().string();
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_importer", name, text));
  for (char tool = 0; tool < 5; ++tool) {  // filter, split, merge, scrub, Perfetto
    RS_RETURN_IF_ERROR(WriteFile(out / "fuzz_trace_tools", fmt::format("{}.{}", name, int{tool}),
                                 std::string(1, tool) + '\0' + text));
  }
  RS_RETURN_IF_ERROR(
      WriteSeed(out / (file.extension() == ".gz" ? "fuzz_gzip" : "fuzz_splitter"), name, text));

  Result<RankTrace> trace = kineto::ReadTrace(file.string());
  if (!trace.ok()) return OkStatus();
  trace->meta.path = name;  // the folder is another one on every machine
  const fs::path cache = out / "cache_file";
  RS_RETURN_IF_ERROR(columnar::WriteCacheFile(*trace, {1, 2}, cache.string()));
  RS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(cache.string()));
  fs::remove(cache);
  return WriteSeed(out / "fuzz_cache", name, bytes);
}

Status WriteTableSeeds(const fs::path& out) {
  Table table("steps", {{"step", ColumnType::kInt64, "", "number"},
                        {"share", ColumnType::kDouble, "%", ""},
                        {"name", ColumnType::kString, "", ""},
                        {"complete", ColumnType::kBool, "", ""}});
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_table", "no_rows", EncodeTables(std::vector{table})));
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("step {}", i);
    table.AddRow({std::int64_t{i} * 1000, i / 3.0, std::string_view(name), i % 2 == 0});
  }
  table.AddRow({kNull, kNull, kNull, kNull});
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_table", "one", EncodeTables(std::vector{table})));
  RS_RETURN_IF_ERROR(
      WriteSeed(out / "fuzz_table", "two", EncodeTables(std::vector{table, Table("none", {})})));
  return WriteSeed(out / "fuzz_table", "empty", EncodeTables({}));
}

// Any bytes are something there (source.h); these are as good as others. So many, and of all
// lengths, that a round without the fuzzer's feedback comes to most of the code.
Status WriteRandomSeeds(const fs::path& folder, int count) {
  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) {
    const std::size_t longest = std::size_t{128} << random() % 7;
    std::string bytes(longest / 2 + random() % (longest / 2), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    RS_RETURN_IF_ERROR(WriteFile(folder, fmt::format("{:04}", i), bytes));
  }
  return OkStatus();
}

// With other option bytes: what `first` means is the target's to say.
Status WriteText(const fs::path& folder, int number, char first, std::string_view text) {
  return WriteFile(folder, fmt::format("{:02}", number),
                   std::string(1, first) + kOptions[1] + std::string(text));
}

Status WriteTextSeeds(const fs::path& out) {
  constexpr std::string_view kSql[] = {
      "SELECT 1; SELECT ';', \";\", $$;$$, $tag$ ; $tag$;\n-- ;\nFROM kernels /* ; /* ; */ ; */",
      "COPY (FROM ops) TO 'ops.parquet' (FORMAT parquet);;\n ;",
      "Binder Error: Referenced column \"nam\" not found!\nCandidate: \"name\"\n\nLINE 1: SELECT",
      "Catalog Error: Table with name kernel does not exist!\nDid you mean \"x\"?\n\nLINE 1:",
      "Out of Memory Error: failed to allocate\n"};
  constexpr std::string_view kParts[] = {
      R"({"rankscope.merged": {"version": 1, "parts": 1}, "rankscope.part.0": {"name": "a", "rank": 0, "label": "rank 0: ", "shift_ns": 1500, "offset_ns": 0, "uncertainty_ns": -1, "is_array": false, "pids": [[1000, "7"], [1001]], "values": [["a", "1"]]}, "traceEvents": [{"ph":"X","pid":1000,"id":"m0s:x","ts":1.5,"dur":2},{"pid":1001,"ph":"i","ts":3}]})",
      R"({"rankscope.split": {"id": "a", "piece": 0, "copied": 1, "events": 3, "is_array": true}, "traceEvents": [{"ph":"M","name":"process_name"},{"ph":"i","ts":1},{"ph":"i","ts":2}], "rankscope.order": "AQE"})"};
  int number_of_part = 0;
  for (const std::string_view text : kParts) {
    for (char tool = 0; tool < 5; ++tool)
      RS_RETURN_IF_ERROR(WriteText(out / "fuzz_trace_tools", number_of_part++, tool, text));
  }
  constexpr std::string_view kLists[] = {"[0, 8, 16, ...]", "[0, 1]", "0-1016/8,5,7-9", "1,2,5",
                                         ""};
  constexpr std::string_view kNames[] = {"tp0_pp1.json\ntp1_pp1.json\n", "VLLM::Worker_TP1\ndp=2",
                                         "DATA_PARALLEL_GROUP_WITH_CP", "mesh_dp_shard_cp"};
  constexpr std::string_view kOptionTexts[] = {
      "0,2,5-7",
      "512M",
      "slow-gpu:rank=3,steps=2-4+6,severity=0.3",
      "tp=2,pp=4,dp=2",
      "gemm ^my_gemm cute\nattention ring_attn  # ours\nvoid my_gemm<float>(int)",
      "top=20"};
  constexpr std::string_view kJsonTexts[] = {
      R"({"hosts":[{"pid":1,"name":"a\u00e9\n","busy":0.5},{"pid":-2,"name":null,"here":true}]})",
      R"([[],{},"",[[[-0.0,1e300,9223372036854775808,-9223372036854775808]]],false])",
      R"({"a":{"b":1},"a":2})"};
  constexpr std::string_view kMessages[] = {
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
      "\"2025-06-18\"}}\r\n\n[{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0000\",\"method\":\"ping\"},7]\n",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5e3}})"};
  int number = 0;
  for (const std::string_view message : kMessages)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_json_rpc", number++, 0, message));
  for (const std::string_view sql : kSql)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_sql", number++, kOptions[0], sql));
  for (const std::string_view json : kJsonTexts)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_json", number++, 0, json));
  // Six bytes are for numbers.
  for (const std::string_view list : kLists)
    RS_RETURN_IF_ERROR(
        WriteText(out / "fuzz_groups", number++, 0, "\x05......" + std::string(list)));
  for (const std::string_view name : kNames)
    RS_RETURN_IF_ERROR(
        WriteText(out / "fuzz_groups", number++, 1, "\x04......" + std::string(name)));
  for (char parser = 0; parser < 6; ++parser)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_options", parser, parser,
                                 kOptionTexts[static_cast<std::size_t>(parser)]));
  return OkStatus();
}

Status WriteTimelineSeeds(const fs::path& out) {
  FileIndex index{.origin_ns = 5, .begin_ns = -100, .base_shift = 3, .last_shift = 9};
  index.captures.push_back({.rank = 7, .capture = 1, .end_ns = 1000, .spans = 2});
  index.tiles.push_back({.shift = 3, .column = 1});
  StoredTrack track{.name = "stream 7", .role = TimelineRole::kStream, .second = 7, .lanes = 2};
  track.levels = {{.blocks = {{.spans = 2, .end_ns = 30}}}, {.resolution_ns = 64}};
  std::string spans;
  for (const std::int64_t start : {std::int64_t{0}, std::int64_t{90}, INT64_MIN / 4}) {
    const TimelineSpan span{.start_ns = start, .duration_ns = 50, .flags = kLateFlag};
    spans.append(reinterpret_cast<const char*>(&span), sizeof(span));
  }
  index.collectives.push_back({.unpacked_bytes = 9, .records = 2, .end_ns = 50});
  const std::vector<TimelineCollective> collectives = {
      {"all_reduce",
       {{.rank = 1, .start_ns = 5, .duration_ns = 9, .wait_ns = 3, .is_last = true}}}};
  const std::vector<TimelinePathPiece> path = {
      {.duration_ns = 4, .part = "compute", .name = "gemm"}, {.start_ns = 4, .duration_ns = 1}};
  const std::string texts[] = {ToBytes(index),
                               ToBytes(std::vector{track}),
                               spans,
                               PackGzip(spans, GzipEffort::kFast),
                               ToBytes(collectives),
                               ToBytes(path)};
  int kind = 0;
  for (const std::string& text : texts) {
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_timeline", kind, static_cast<char>(kind), text));
    ++kind;
  }
  return OkStatus();
}

Status WriteAgentSeeds(const fs::path& out) {
  const std::string poll = wire::ToDatagram(wire::KinetoPoll{.type = 2, .pids = {7, 6, 5}});
  const std::string idle = wire::ToDatagram(wire::KinetoPoll{.type = 0, .job = 9, .pids = {7}});
  const std::string context = wire::ToDatagram(wire::KinetoContext{.gpu = 3, .pid = 7, .job = 9});
  const std::pair<char, std::string> seeds[] = {
      {0, poll},
      {0, idle},
      {0, context},
      {1,
       R"({"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a.json","pids":[7]})"},
      {1,
       R"({"fn":"startCapture","log_file":"/tmp/a.json","iterations":3,"id":"x","stacks":true})"},
      {1, R"({"fn":"cancelCapture","id":"x"})"},
      {1, R"({"fn":"listCaptures"})"},
      {2, "ACTIVITIES_LOG_FILE=/tmp/a.json # where\nPROFILE_WITH_STACK=true\n"},
      {3, wire::ToFrame("{}")},
      {4, "rate(a{device=\"0\",name=\"x\"}) < 2e2 for 1.5min"},
      {5, "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H100\"} 0.5\n"},
      {5, "DCGM_FI_DEV_XID_ERRORS{gpu=\"1\"} 79 1700000000\n"},
      {7, R"({"id":"a","values":{"triggers.iteration":["7"],"triggers.rules":["a > 1 for 1s"]}})"},
      {7, R"({"id":"","values":{"triggers.events":["xid"],"capture.cpu":["true"]}})"},
      {6, "0::/kubepods.slice/kubepods-pod8c7a5f0e_1b2c_4d3e_9f80_0123456789ab.slice/crio-" +
              std::string(64, 'a') + ".scope\n"},
      {6, R"({"items":[{"metadata":{"name":"a","namespace":"b","uid":"c"},"status":)"
          R"({"containerStatuses":[{"name":"d","containerID":"containerd://e"}]}}]})"},
      {6, "cpu0 100 0 50 1e9 7 0\nNode 0 MemTotal:  8160492 kB\n"}};
  int number = 0;
  for (const auto& [kind, text] : seeds)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_agent", number++, kind, text));
  return OkStatus();
}

// The fake interpreter's words are those of its layout: what the fuzzer finds of them it keeps.
Status WriteCpuProfileSeeds(const fs::path& out) {
  const std::pair<char, std::string> seeds[] = {
      {0, std::string(600, '\0')},
      {0, "xdebugpy" + std::string(600, '\x08')},
      {1, std::string("\x09\0\0\0\0\0\x28\0\1\0\0\0\2\0\0\0", 16) + std::string(24, '\0')},
      {2, "2000 10 py::f:/a b.py\n1000 20 g\n"},
      {3, "7f00-7f80 r-xp 00001000 08:01 12     /usr/lib/a.so\n"},
      {4, std::string("\x80\0\xd8\0\0\xe8\3\xf0\x48\3\0\1\2", 13)},
      {5,
       R"json({"baseTimeNanoseconds": 7, "traceEvents": [{"ph": "X", "cat": "Trace", "ts": 5.5,)json"
       R"json( "dur": 9, "name": "PyTorch Profiler (0)"}]})json"},
      // How long the first entry is, what all functions have alike, and a function.
      {6, std::string("\x12\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1", 19) +
              std::string("\1\0\0\0\xfc\xff\xff\xff\x20\0\0\0\0", 13) +
              std::string("\x0e\x10\x86\2\x0a\x0d\6\x10\3\2\x76\x78\x0b\0\0\0", 16)},
      {6, std::string("\x12\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1", 19) +
              std::string("\1\0\0\0\xfc\xff\xff\xff\x20\0\0\0\0", 13) +
              std::string("\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22", 13)},
      {7, "Name:\tpython\nNSpid:\t4711\t12\n"},
      {7, "_ZN2at6native3mulERKNS_6TensorE"}};
  int number = 0;
  for (const auto& [kind, text] : seeds)
    RS_RETURN_IF_ERROR(WriteText(out / "fuzz_cpu_profile", number++, kind, text));
  return OkStatus();
}

Status WriteAll(const fs::path& traces, const fs::path& out) {
  for (const fs::directory_entry& entry : fs::directory_iterator(traces)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".expect.json")) continue;
    RS_RETURN_IF_ERROR(WriteTraceSeeds(entry.path(), out));
  }
  RS_RETURN_IF_ERROR(WriteRandomSeeds(out / "fuzz_damaged_cache", 2000));
  RS_RETURN_IF_ERROR(WriteRandomSeeds(out / "fuzz_writers", 100));
  RS_RETURN_IF_ERROR(WriteRandomSeeds(out / "fuzz_kineto_writer", 100));
  RS_RETURN_IF_ERROR(WriteTextSeeds(out));
  RS_RETURN_IF_ERROR(WriteTimelineSeeds(out));
  RS_RETURN_IF_ERROR(WriteAgentSeeds(out));
  RS_RETURN_IF_ERROR(WriteCpuProfileSeeds(out));
  return WriteTableSeeds(out);
}

}  // namespace
}  // namespace rankscope::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_seeds TRACE_DIR OUT_DIR\n");
    return 2;
  }
  const rankscope::Status status = rankscope::fuzz::WriteAll(argv[1], argv[2]);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.message());
  return status.ok() ? 0 : 1;
}
