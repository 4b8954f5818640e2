// Call tree, dependency graph, critical path, slack and roofline against loading, on traces of
// several sizes in one run; and the memory that each keeps or needs.
//
//   bench_depth TRACE.json.gz...
//
// CPU time on one core, medians of repetitions that are interleaved at random.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "facts/kernel_rules.h"
#include "facts/path_charges.h"
#include "facts/trace_facts.h"
#include "graph/build_graph.h"
#include "graph/critical_path.h"
#include "graph/path_parts.h"
#include "load_shares.h"
#include "peak_memory.h"
#include "trace/call_tree.h"
#include "training/list.h"

namespace rankscope::bench {
namespace {

FrameTree CallTreeOf(const RankTrace& trace) {
  return FrameTree(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
}

DependencyGraph GraphOf(const RankTrace& trace) {
  const KernelRules built_in;
  const WorkClassifier classes(trace, built_in);
  return BuildGraph(trace, [&](Row row) { return classes.Of(row) == WorkClass::kCommunication; });
}

void Map(std::string_view name, const RankTrace& trace) {
  const Analysis& analysis = **FindAnalysis(name);
  benchmark::DoNotOptimize(
      analysis.mapper.map(TraceFacts(trace), {std::nullopt, MapperOptions(analysis.mapper, {})}));
}

std::size_t BytesOf(const DependencyGraph& graph) {
  return graph.segments.size() * (sizeof(Segment) + sizeof(std::uint32_t)) +
         graph.dependencies.size() * sizeof(Dependency) +
         graph.rendezvous.size() * sizeof(Rendezvous) + graph.members.size() * sizeof(SegmentId);
}

// Bytes per event that some work needs at its peak, beside the trace.
double PeakPerEvent(const RankTrace& trace, const std::function<void()>& work) {
  const std::int64_t bytes = PeakBytes([&] {
    work();
    return true;
  });
  return static_cast<double>(bytes) / static_cast<double>(trace.meta.event_count);
}

void PrintMemory(const RankTrace& trace) {
  const DependencyGraph graph = GraphOf(trace);
  const auto events = static_cast<double>(trace.meta.event_count);
  fmt::print("{} events: {} works, {} segments, {} dependencies; bytes per event: graph {:.1f}",
             trace.meta.event_count, trace.launch_kernels.size(), graph.segments.size(),
             graph.dependencies.size(), static_cast<double>(BytesOf(graph)) / events);
  fmt::print(", at its peak call tree {:.1f}", PeakPerEvent(trace, [&] { CallTreeOf(trace); }));
  fmt::print(", graph {:.1f}", PeakPerEvent(trace, [&] { GraphOf(trace); }));
  fmt::print(", graph, path and slack {:.1f}", PeakPerEvent(trace, [&] {
               const TraceFacts facts(trace);
               Slack(facts.graph());
             }));
  fmt::print(", roofline {:.1f}\n", PeakPerEvent(trace, [&] { Map("roofline", trace); }));
}

int Run(const std::vector<std::string>& paths) {
  LoadShares shares(paths);
  for (const auto& trace : shares.traces()) PrintMemory(*trace);
  shares.Add("call tree",
             [](const RankTrace& trace) { benchmark::DoNotOptimize(CallTreeOf(trace).size()); });
  shares.Add("graph", [](const RankTrace& trace) {
    benchmark::DoNotOptimize(GraphOf(trace).segments.size());
  });
  shares.Add("graph and path", [](const RankTrace& trace) {
    const TraceFacts facts(trace);
    benchmark::DoNotOptimize(facts.path().size());
  });
  shares.Add("graph and slack", [](const RankTrace& trace) {
    benchmark::DoNotOptimize(Slack(GraphOf(trace)).size());
  });
  const std::vector<std::string> maps = {
      "critical_path", "critical_path_ops", "ops_by_name", "modules",
      "stacks",        "flame_graph",       "roofline"};
  for (const std::string& name : maps)
    shares.Add(name, [name](const RankTrace& trace) { Map(name, trace); });
  shares.Run();
  shares.PrintHeader();
  for (const char* part : {"call tree", "graph", "graph and path", "graph and slack"})
    shares.PrintLine(part);
  for (const std::string& name : maps) shares.PrintLine(name);
  fmt::print("the same ns/event at any size is linear growth\n");
  return 0;
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_depth TRACE.json.gz...\n");
    return 2;
  }
  return rankscope::bench::Run({argv + 1, argv + argc});
}
