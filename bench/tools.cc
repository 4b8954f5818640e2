// Trace tools against igzip inflating the same file, on all cores, in one run:
//
//   bench_tools TRACE.json.gz...
//
// Wall time and CPU time, medians of repetitions that are interleaved at random. Every tool's
// result is checked first: it has the events that it should have.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "formats/base/byte_source.h"
#include "ratio_table.h"
#include "tools/filter.h"
#include "tools/merge.h"
#include "tools/repack.h"
#include "tools/scrub/scrub.h"
#include "tools/split.h"

namespace rankscope::bench {
namespace {

namespace fs = std::filesystem;

struct Tool {
  std::string name;
  std::function<void()> work;
};

std::uint64_t Inflate(const std::string& path) {
  const auto source = OpenByteSource(path);
  RS_CHECK(source.ok(), "the trace cannot be opened");
  std::vector<char> buffer(std::size_t{1} << 20);
  std::uint64_t bytes = 0;
  while (const std::size_t got = (*source)->Read(buffer.data(), buffer.size())) bytes += got;
  return bytes;
}

template <typename T>
T Good(Result<T> result) {
  if (!result.ok()) fmt::print(stderr, "{}\n", result.status().message());
  RS_CHECK(result.ok(), "a tool failed");
  return std::move(*result);
}

std::vector<Tool> ToolsFor(const std::string& trace, const std::string& folder, int threads) {
  const std::string out = folder + "/out.json";
  const auto filter = [=](tools::FilterOptions options, const std::string& to) {
    options.threads = threads;
    const tools::FilterReport report = Good(tools::FilterTraces(trace, options, to));
    const bool is_all = options.categories.empty();
    RS_CHECK((report.written.kept == report.written.events) == is_all,
             "filter kept the wrong events");
  };
  return {
      {"inflate alone", [=] { benchmark::DoNotOptimize(Inflate(trace)); }},
      {"convert to plain", [=] { Good(tools::Repack(trace, out, threads)); }},
      {"convert to gzip", [=] { Good(tools::Repack(trace, out + ".gz", threads)); }},
      {"convert to zstd", [=] { Good(tools::Repack(trace, out + ".zst", threads)); }},
      {"filter, all kept, to gzip", [=] { filter({}, out + ".gz"); }},
      {"filter --category kernel",
       [=] {
         tools::FilterOptions options;
         options.categories = {"kernel"};
         filter(options, out + ".gz");
       }},
      {"split --size 50M",
       [=] {
         Good(tools::SplitTrace(trace, folder + "/pieces",
                                {.piece_bytes = 50 << 20, .threads = threads}));
       }},
      {"merge, one rank, to gzip",
       [=] {
         std::vector<std::string> losses;
         auto traces = Good(tools::TracesOf({trace}, threads, losses));
         const auto written = Good(tools::MergeTraces(
             std::move(traces), [](const tools::TraceToWrite&) { return tools::ClockOffset(); },
             out + ".gz", threads));
         RS_CHECK(written.kept == written.events, "merge lost events");
       }},
      {"scrub, to gzip",
       [=] {
         const auto report = Good(tools::ScrubTrace(trace, out + ".gz", {1, 2}, nullptr, threads));
         RS_CHECK(report.written.kept == report.written.events, "scrub lost events");
       }},
  };
}

void Measure(const std::string& trace, const std::string& folder) {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::vector<Tool> all = ToolsFor(trace, folder, threads);
  for (const Tool& tool : all) {
    tool.work();
    Register(tool.name, tool.work, 3);
  }
  RatioReporter times;
  RunRegistered(times);
  const double bytes = static_cast<double>(Inflate(trace));
  const double inflate = times.WallSeconds(all.front().name);
  fmt::print("{}: {:.0f} MB of text, {} threads\n", fs::path(trace).filename().string(),
             bytes / 1e6, threads);
  fmt::print("  {:<28}{:>12}{:>14}{:>18}\n", "", "MB/s", "CPU s per GB", "x time to inflate");
  for (const Tool& tool : all) {
    const double wall = times.WallSeconds(tool.name);
    fmt::print("  {:<28}{:>12.0f}{:>14.2f}{:>18.1f}\n", tool.name, bytes / 1e6 / wall,
               times.CpuSeconds(tool.name) * 1e9 / bytes, wall / inflate);
  }
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  std::string folder = (std::filesystem::temp_directory_path() / "bench_tools_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  for (int i = 1; i < argc; ++i) rankscope::bench::Measure(argv[i], folder);
  std::filesystem::remove_all(folder);
  return 0;
}
