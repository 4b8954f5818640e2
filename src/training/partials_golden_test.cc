// What mappers leave of fixed traces does not change unless a version says so: stored partials are
// taken for good as long as the versions of their mapper and of the components that it uses stay.
//
// tests/golden/partials.txt has a line per mapper: name, version, components with versions, rows,
// hash of the tables. With RANKSCOPE_UPDATE_GOLDEN=1 lines whose versions changed are rewritten;
// one that changed without a version is an error even then.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include "base/hash.h"
#include "stage/job_for_test.h"
#include "table/codec.h"
#include "training/list.h"

namespace rankscope {
namespace {

// Three steps of a training with modules, copies, memory and two collectives.
RankTrace Training() {
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA H100 80GB HBM3");
  std::int64_t correlation = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 1'000'000 * step;
    trace.Step(step + 7, at, 990'000);
    trace.Host(1, EventKind::kPythonFunction, "train.py(12): main", at + 1000, 900'000);
    trace.Host(1, EventKind::kUserAnnotation, "forward", at + 2000, 300'000);
    trace.Host(1, EventKind::kPythonFunction, "nn.Module: Block_0", at + 3000, 290'000);
    trace.Host(1, EventKind::kPythonFunction, "nn.Module: Linear_0", at + 4000, 100'000);
    for (std::int64_t i = 0; i < 6; ++i) {
      const std::int64_t begin = at + 5000 + 40'000 * i;
      trace.Op(1, "aten::mm", begin, 30'000, "[[512, 256], [256, 128]]",
               R"(["c10::BFloat16", "c10::BFloat16"])");
      trace.Launch(++correlation, begin + 5000, 6000);
      trace.Kernel(7, "sm90_xmma_gemm_bf16", begin + 20'000, 15'000 + (i == 5 ? 400'000 : 100 * i),
                   correlation);
      KernelArgs args;
      args.grid = {64, 2, 1};
      args.block = {128, 1, 1};
      args.occupancy_pct = 50;
      args.blocks_per_sm = 1.5F;
      trace.Args(args);
      trace.Memory(1, begin + 1000,
                   {.address = 16 + i,
                    .bytes = 4096 + i,
                    .total_allocated = 8192 + 4096 * i,
                    .total_reserved = 1 << 20});
    }
    trace.Memory(
        1, at + 310'000,
        {.address = 16, .bytes = -4096, .total_allocated = 9000, .total_reserved = 1 << 20});
    trace.Sequenced(1, "aten::add", at + 320'000, 8000, 40 + step, 0);
    trace.Sequenced(2, "autograd::engine::evaluate_function: AddBackward0", at + 400'000, 60'000,
                    40 + step, 1);
    trace.Launch(++correlation, at + 410'000, 5000, 2);
    trace.Kernel(7, "vectorized_elementwise_kernel", at + 720'000, 30'000, correlation);
    trace.Comm(20, at + 700'000, 120'000,
               {.name = "allreduce", .in = 4096, .out = 4096, .sequence = 1});
    trace.Comm(20, at + 830'000, 20'000,
               {.name = "all_to_allv", .in = 64, .out = 64, .group = "ep", .sequence = 2});
    trace.Host(1, EventKind::kUserAnnotation, "Optimizer.step#AdamW.step", at + 860'000, 40'000);
    trace.Host(1, EventKind::kRuntime, "cudaMemcpyAsync", at + 905'000, 5000, ++correlation);
    trace.Copy(7, 1 << 16, at + 915'000, 20'000, correlation, "Memcpy HtoD (Pageable -> Device)");
    trace.Memset(7, 4096, at + 940'000, 2000);
    trace.Host(1, EventKind::kRuntime, "cudaStreamSynchronize", at + 945'000, 30'000);
    trace.Host(1, EventKind::kRuntime, "cudaMalloc", at + 978'000, 4000);
  }
  // A range for each launch.
  for (std::int64_t i = 0; i < 21; ++i) {
    trace.Range(
        "sm90_xmma_gemm_bf16", 1000 * i, 1000,
        {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1000.0 + i}, {"dram__bytes.sum", 512}});
    trace.Sample(0, 100'000 * i, {{"sm__cycles_active.avg", 1.5 * i}});
  }
  RankTrace built = trace.Build(1'700'000'000'000'000'000);
  for (Row row = 0; row < built.row_count(); ++row) {
    if (built.kind[row] == EventKind::kCpuOp)
      built.nodes.push_back({.row = row, .node = 100 + row});
  }
  return built;
}

// Decoding by graphs that were captured in the trace.
RankTrace Graphs() {
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA H100 80GB HBM3");
  trace.Host(1, EventKind::kRuntime, "cudaStreamBeginCapture", 0, 10);
  for (std::int64_t i = 0; i < 3; ++i) {
    trace.Op(1, "aten::mm", 100 + 100 * i, 90, "[[8, 64], [64, 64]]",
             R"(["c10::Half", "c10::Half"])");
    trace.Host(1, EventKind::kRuntime, "cudaLaunchKernel", 110 + 100 * i, 10);
  }
  trace.Host(1, EventKind::kRuntime, "cudaStreamEndCapture", 900, 10);
  for (std::int64_t launch = 0; launch < 4; ++launch) {
    const std::int64_t at = 2000 + 1000 * launch;
    trace.Host(1, EventKind::kRuntime, "cudaGraphLaunch", at, 50, 100 + launch);
    for (std::int64_t i = 0; i < 3; ++i)
      trace.Kernel(7, i == 1 ? "ampere_fp16_gemm" : "rms_norm_kernel", at + 100 + 200 * i,
                   150 + launch, 100 + launch);
  }
  return trace.Build(5);
}

std::map<std::string, const Mapper*> Mappers() {
  std::map<std::string, const Mapper*> mappers;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->mapper) mappers.emplace(analysis->mapper.name, &analysis->mapper);
    for (const AnyJobFact* fact : analysis->facts)
      mappers.emplace(fact->mapper.name, &fact->mapper);
  }
  return mappers;
}

struct Line {
  std::string versions;
  std::string result;  // rows and hash
  friend bool operator==(const Line&, const Line&) = default;
};
using Lines = std::map<std::string, Line>;  // by mapper

Line LineOf(const Mapper& mapper, const std::vector<RankTrace>& traces) {
  Line line{.versions = std::to_string(mapper.version), .result = {}};
  for (const std::span<const Component> parts :
       {FactComponents(), std::span<const Component>(mapper.uses)}) {
    for (const Component& part : parts)
      line.versions += fmt::format(",{}={}", part.name, part.version);
  }
  std::string bytes;
  std::size_t rows = 0;
  for (const RankTrace& trace : traces) {
    const TraceFacts facts(trace);
    const std::vector<Table> tables = mapper.map(facts, {std::nullopt, MapperOptions(mapper, {})});
    for (const Table& table : tables) rows += table.row_count();
    bytes += EncodeTables(tables);
  }
  line.result = fmt::format("{} {}", rows, HashBytes(bytes).Hex());
  return line;
}

Lines Read(const std::string& path) {
  Lines lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string name, rows, hash;
    Line line;
    words >> name >> line.versions >> rows >> hash;
    line.result = rows + " " + hash;
    if (!name.empty()) lines[name] = line;
  }
  return lines;
}

TEST(PartialsGolden, ChangeOnlyWithAVersion) {
  const char* root = std::getenv("RANKSCOPE_SOURCE_DIR");
  const std::string path = std::string(root == nullptr ? "." : root) + "/tests/golden/partials.txt";
  const bool updates = std::getenv("RANKSCOPE_UPDATE_GOLDEN") != nullptr;
  const Lines before = Read(path);
  std::vector<RankTrace> traces;
  traces.push_back(Training());
  traces.push_back(Graphs());
  Lines now;
  for (const auto& [name, mapper] : Mappers()) {
    const Line line = LineOf(*mapper, traces);
    const auto known = before.find(name);
    const bool is_silent = known != before.end() && known->second.versions == line.versions &&
                           known->second.result != line.result;
    EXPECT_FALSE(is_silent)
        << name << " maps something else than before: raise the version of " << name
        << " (or of a component that it uses) and run this test with RANKSCOPE_UPDATE_GOLDEN=1 to "
           "rewrite its line of "
        << path;
    now[name] = is_silent ? known->second : line;
  }
  if (updates) {
    std::ofstream file(path);
    for (const auto& [name, line] : now)
      file << name << ' ' << line.versions << ' ' << line.result << '\n';
    ASSERT_TRUE(file.good());
    return;
  }
  EXPECT_TRUE(now == before) << path
                             << " has not the mappers and versions of today: run this test with "
                             << "RANKSCOPE_UPDATE_GOLDEN=1 to rewrite it";
}

// A line about no rows would hold whatever the mapper did.
TEST(PartialsGolden, TracesGiveNearlyAllMappersRows) {
  std::vector<RankTrace> traces;
  traces.push_back(Training());
  traces.push_back(Graphs());
  std::string without;
  std::size_t count = 0;
  for (const auto& [name, mapper] : Mappers()) {
    if (!LineOf(*mapper, traces).result.starts_with("0 ")) continue;
    without += name + " ";
    ++count;
  }
  EXPECT_LE(count, 5) << without;
}

}  // namespace
}  // namespace rankscope
