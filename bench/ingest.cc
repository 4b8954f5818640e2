// Ingest of one trace, part by part, against the limits of the machine: what ISA-L inflates and
// what simdjson's On-Demand reads.
//
//   bench_ingest TRACE.json.gz
//
// CPU time, medians of repetitions that are interleaved at random; every result is checked against
// another way to get it first.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "formats/base/byte_source.h"
#include "formats/columnar/cache_file.h"
#include "formats/kineto/chunk_parser.h"
#include "formats/kineto/reader.h"
#include "on_demand_baseline.h"
#include "peak_memory.h"
#include "ratio_table.h"

namespace rankscope::bench {
namespace {

// The text of the trace, and the same cut into chunks as simdjson wants them.
struct Input {
  std::string path;
  std::string text;
  std::vector<std::string> chunks;
  std::vector<std::size_t> sizes;
};

std::string Inflate(const std::string& path) {
  auto source = OpenByteSource(path);
  std::string text;
  std::vector<char> buffer(1 << 20);
  while (source.ok()) {
    const std::size_t count = (*source)->Read(buffer.data(), buffer.size());
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  return text;
}

Input Prepare(const std::string& path) {
  Input input{path, Inflate(path), {}, {}};
  const auto source = OpenByteSource(std::string_view(input.text));
  kineto::EventSplitter splitter(*source);
  kineto::Chunk chunk;
  while (splitter.Next(chunk)) {
    std::string array(chunk.AsArray());
    input.sizes.push_back(array.size());
    array.append(64, ' ');
    input.chunks.push_back(std::move(array));
  }
  return input;
}

RankTrace Load(const std::string& path, int threads) {
  kineto::ReadOptions options;
  options.threads = threads;
  return kineto::ReadTrace(path, options).value();
}

std::uint64_t ParseAlone(const std::string& text) {
  const auto source = OpenByteSource(std::string_view(text));
  kineto::EventSplitter splitter(*source);
  kineto::ChunkParser parser;
  kineto::Chunk chunk;
  EventBatch batch;
  std::uint64_t events = 0;
  while (splitter.Next(chunk)) {
    parser.Parse(chunk, batch);
    events += batch.event_count;
  }
  return events;
}

void SplitAlone(const std::string& text) {
  const auto source = OpenByteSource(std::string_view(text));
  kineto::EventSplitter splitter(*source);
  kineto::Chunk chunk;
  while (splitter.Next(chunk)) benchmark::DoNotOptimize(chunk.text().data());
}

bool Check(const Input& input, const RankTrace& trace) {
  const OnDemandResult read = ReadOnDemand(input.chunks, input.sizes, Fields::kSame);
  const bool equal = read.ok && read.events == trace.meta.event_count &&
                     ParseAlone(input.text) == trace.meta.event_count;
  if (!equal) fmt::print(stderr, "the parts disagree on the number of events\n");
  return equal;
}

void Print(const RatioReporter& times, const Input& input, const RankTrace& trace,
           std::int64_t peak, std::uint64_t cache_bytes) {
  const double megabytes = static_cast<double>(input.text.size()) / 1e6;
  const double events = static_cast<double>(trace.meta.event_count);
  const auto row = [&](const char* label, double seconds, const std::string& ratio,
                       const char* target) {
    fmt::print("{:<38}{:>9.1f} ms {:>7.0f} MB/s {:>6.2f} M events/s  {:<26}{}\n", label,
               seconds * 1e3, megabytes / seconds, events / seconds / 1e6, ratio, target);
  };
  const double on_demand = times.CpuSeconds("on_demand");
  const double load = times.CpuSeconds("load");
  const double parse = times.CpuSeconds("parse");
  const auto of = [](double value, const char* what) {
    return fmt::format("{:.2f} x {}", value, what);
  };
  fmt::print("{}\n{} events, {:.1f} MB of text, {} rows; CPU time on one core, median of 5\n",
             input.path, trace.meta.event_count, megabytes, trace.row_count());
  row("limit: ISA-L inflates", times.CpuSeconds("inflate"), "", "");
  row("limit: On-Demand reads 11 fields", times.CpuSeconds("on_demand_11"), "", "");
  row("limit: On-Demand reads the same fields", on_demand, "", "");
  row("cut into chunks", times.CpuSeconds("split"), "", "");
  row("parse (cut, read, columns, intern)", parse, of(on_demand / parse, "rate of On-Demand"),
      "target 0.80");
  row("load (inflate, parse, sort, link, steps)", load, of(on_demand / load, "rate of On-Demand"),
      "target 0.60");
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  fmt::print("{:<38}{:>9.1f} ms wall  {:.2f} x one thread\n",
             fmt::format("load on {} threads", cores), times.WallSeconds("load_threads") * 1e3,
             times.WallSeconds("load") / times.WallSeconds("load_threads"));
  fmt::print("{:<38}{:>9.1f} MB      {:.1f} bytes per event       target 64 + a fixed buffer\n",
             "peak memory while loading", static_cast<double>(peak) / 1e6,
             static_cast<double>(peak) / events);
  row("write the cache", times.CpuSeconds("cache_write"),
      of(times.CpuSeconds("cache_write") / load, "load"), "");
  row("open from the cache", times.CpuSeconds("cache_read"),
      of(load / times.CpuSeconds("cache_read"), "faster than load"), "target >= 10");
  fmt::print("{:<38}{:>9.1f} MB      {:.1f} bytes per event\n\n", "cache file",
             static_cast<double>(cache_bytes) / 1e6, static_cast<double>(cache_bytes) / events);
}

int Run(const std::string& path) {
  const std::int64_t peak = PeakBytes([&] { return Load(path, 1).row_count() > 0; });
  const Input input = Prepare(path);
  const RankTrace trace = Load(path, 1);
  if (!Check(input, trace)) return 1;
  const std::string cache = std::filesystem::temp_directory_path() / "rankscope-bench.columns";
  const Hash128 key = HashBytes(path);
  if (!columnar::WriteCacheFile(trace, key, cache).ok()) return 1;
  const std::uint64_t cache_bytes = std::filesystem::file_size(cache);

  Register("inflate", [&] {
    auto source = OpenByteSource(path).value();
    std::vector<char> buffer(1 << 20);
    while (source->Read(buffer.data(), buffer.size()) != 0) benchmark::DoNotOptimize(buffer.data());
  });
  Register("on_demand_11", [&] {
    benchmark::DoNotOptimize(ReadOnDemand(input.chunks, input.sizes, Fields::kEleven));
  });
  Register("on_demand", [&] {
    benchmark::DoNotOptimize(ReadOnDemand(input.chunks, input.sizes, Fields::kSame));
  });
  Register("split", [&] { SplitAlone(input.text); });
  Register("parse", [&] { benchmark::DoNotOptimize(ParseAlone(input.text)); });
  Register("load", [&] { benchmark::DoNotOptimize(Load(path, 1).row_count()); });
  Register("load_threads", [&] {
    benchmark::DoNotOptimize(
        Load(path, static_cast<int>(std::thread::hardware_concurrency())).row_count());
  });
  Register("cache_write",
           [&] { benchmark::DoNotOptimize(columnar::WriteCacheFile(trace, key, cache).ok()); });
  Register("cache_read",
           [&] { benchmark::DoNotOptimize(columnar::ReadCacheFile(cache, key).ok()); });

  RatioReporter times;
  RunRegistered(times);
  std::filesystem::remove(cache);
  Print(times, input, trace, peak, cache_bytes);
  return 0;
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_ingest TRACE.json.gz\n");
    return 2;
  }
  return rankscope::bench::Run(argv[1]);
}
