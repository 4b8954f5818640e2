// The accounting analyses against loading, on traces of several sizes in one run.
//
//   bench_accounting TRACE.json.gz...
//
// CPU time on one core, medians of repetitions that are interleaved at random. Each map runs alone,
// with facts of its own; "all maps" is what the engine does: every map of a trace on the same
// facts. "reduces" makes all tables of a job of that one rank.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analysis/list.h"
#include "formats/kineto/reader.h"
#include "ratio_table.h"
#include "table/codec.h"

namespace rankscope::bench {
namespace {

RankTrace Load(const std::string& path) {
  kineto::ReadOptions options;
  options.threads = 1;
  return kineto::ReadTrace(path, options).value();
}

std::vector<const Analysis*> Summaries() {
  std::vector<const Analysis*> summaries;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      summaries.push_back(analysis);
  }
  return summaries;
}

std::vector<Table> MapOne(const Analysis& analysis, const TraceFacts& facts) {
  return analysis.map(facts, {std::nullopt, CompleteOptions(analysis, {}).value()});
}

// What the engine keeps of a trace: the encoded partials of all summaries.
std::size_t MapAll(const RankTrace& trace) {
  const TraceFacts facts(trace);
  std::size_t bytes = 0;
  for (const Analysis* analysis : Summaries()) {
    if (analysis->map) bytes += EncodeTables(MapOne(*analysis, facts)).size();
  }
  return bytes;
}

template <typename Work>
void Register(const std::string& name, Work work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work](benchmark::State& state) {
                                 for (auto _ : state) work();
                               })
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond)
      ->Repetitions(5)
      ->MinTime(0.05);
}

std::string NameOf(std::size_t trace, std::string_view part) {
  return fmt::format("{}/{}", trace, part);
}

void Print(const RatioReporter& times, const std::vector<std::unique_ptr<RankTrace>>& traces) {
  const auto line = [&](std::string_view part, bool is_load) {
    fmt::print("{:<22}", part);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const double seconds = times.CpuSeconds(NameOf(i, part));
      const double load = times.CpuSeconds(NameOf(i, "load"));
      const auto events = static_cast<double>(traces[i]->meta.event_count);
      fmt::print("{:>9.1f} ms {:>6.1f} ns/event", seconds * 1e3, seconds * 1e9 / events);
      fmt::print(" {:>7}", is_load ? "" : fmt::format("{:.3f} x", seconds / load));
    }
    fmt::print("\n");
  };
  fmt::print("CPU time on one core, median of 5; x = share of load\n{:<22}", "");
  for (const auto& trace : traces)
    fmt::print("{:>35}",
               fmt::format("{} events, {} rows", trace->meta.event_count, trace->row_count()));
  fmt::print("\n");
  line("load", true);
  for (const Analysis* analysis : Summaries()) {
    if (analysis->map) line(analysis->name, false);
  }
  line("all maps", false);
  fmt::print("target: all maps <= 0.5 x load; the same ns/event at any size is linear growth\n");
  for (std::size_t i = 0; i < traces.size(); ++i) {
    fmt::print("partials of all summaries: {:.1f} kB for {} steps\n",
               static_cast<double>(MapAll(*traces[i])) / 1e3, traces[i]->steps.size());
  }
}

int Run(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<RankTrace>> traces;
  for (const std::string& path : paths) traces.push_back(std::make_unique<RankTrace>(Load(path)));
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const RankTrace& trace = *traces[i];
    Register(NameOf(i, "load"),
             [path = paths[i]] { benchmark::DoNotOptimize(Load(path).row_count()); });
    for (const Analysis* analysis : Summaries()) {
      if (!analysis->map) continue;
      Register(NameOf(i, analysis->name), [analysis, &trace] {
        benchmark::DoNotOptimize(MapOne(*analysis, TraceFacts(trace)));
      });
    }
    Register(NameOf(i, "all maps"), [&trace] { benchmark::DoNotOptimize(MapAll(trace)); });
  }
  std::string program = "bench_accounting";
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program.data(), interleave.data()};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  RatioReporter times;
  benchmark::RunSpecifiedBenchmarks(&times);
  benchmark::ClearRegisteredBenchmarks();
  Print(times, traces);
  return 0;
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_accounting TRACE.json.gz...\n");
    return 2;
  }
  return rankscope::bench::Run({argv + 1, argv + argc});
}
