// The accounting analyses against loading, on traces of several sizes in one run.
//
//   bench_accounting TRACE.json.gz...
//
// CPU time on one core, medians of repetitions that are interleaved at random. Each map runs alone,
// with facts of its own; "all maps" is what the engine does: every map of a trace on the same
// facts. "reduces" makes all tables of a job of that one rank.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "facts/trace_facts.h"
#include "load_shares.h"
#include "table/codec.h"
#include "training/list.h"

namespace rankscope::bench {
namespace {

std::vector<const Analysis*> Summaries() {
  std::vector<const Analysis*> summaries;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      summaries.push_back(analysis);
  }
  return summaries;
}

std::vector<Table> MapOne(const Analysis& analysis, const TraceFacts& facts) {
  return analysis.mapper.map(facts, {std::nullopt, MapperOptions(analysis.mapper, {})});
}

// What the engine keeps of a trace: the encoded partials of all summaries.
std::size_t MapAll(const RankTrace& trace) {
  const TraceFacts facts(trace);
  std::size_t bytes = 0;
  for (const Analysis* analysis : Summaries()) {
    if (analysis->mapper) bytes += EncodeTables(MapOne(*analysis, facts)).size();
  }
  return bytes;
}

int Run(const std::vector<std::string>& paths) {
  LoadShares shares(paths);
  for (const Analysis* analysis : Summaries()) {
    if (!analysis->mapper) continue;
    shares.Add(analysis->name, [analysis](const RankTrace& trace) {
      benchmark::DoNotOptimize(MapOne(*analysis, TraceFacts(trace)));
    });
  }
  shares.Add("all maps", [](const RankTrace& trace) { benchmark::DoNotOptimize(MapAll(trace)); });
  shares.Run();
  shares.PrintHeader();
  for (const Analysis* analysis : Summaries()) {
    if (analysis->mapper) shares.PrintLine(analysis->name);
  }
  shares.PrintLine("all maps");
  fmt::print("the same ns/event at any size is linear growth\n");
  for (const auto& trace : shares.traces()) {
    fmt::print("partials of all summaries: {:.1f} kB for {} steps\n",
               static_cast<double>(MapAll(*trace)) / 1e3, trace->steps.size());
  }
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
