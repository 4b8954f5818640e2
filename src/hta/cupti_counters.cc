// hta.cupti_counters.
#include <algorithm>
#include <string>
#include <vector>

#include "hta/analyses.h"
#include "hta/call_graph.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct CuptiCounterRows : Schema<CuptiCounterRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.cupti_counters";

  IntColumn index = Int("index", "", "the profiler's range in the file");
  StringColumn name = Text("name", "its name: the kernel's, where each was measured");
  IntColumn ts = Int("ts", "us", "its begin, from the first of all events");
  RealColumn dur = Real("dur", "us", "its duration: the recording divided by the ranges");
  IntColumn launch = Int("index_runtime", "", "the launch at the same place in time, in the file");
  StringColumn op_stack = Text("op_stack", "CPU ops around that launch, outermost first");
  StringColumn top = Text("top_level_op", "the first of them; null without one");
  StringColumn bottom = Text("bottom_level_op", "the last of them; null without one");
  StringColumn counter = Text("counter", "name of a counter");
  RealColumn value = Real("value", "", "its value");
};

void MakeCuptiCounters(const Frame& frame, const Options&, TableOf<CuptiCounterRows>& table) {
  std::vector<std::uint32_t> ranges, launches;
  for (std::uint32_t event = 0; event < frame.events.size(); ++event) {
    const std::string_view category = frame.CategoryOf(frame.events[event]);
    if (category == "cuda_profiler_range") ranges.push_back(event);
    if (category.starts_with("cuda_runtime") &&
        frame.NameOf(frame.events[event]).starts_with("cudaLaunchKernel"))
      launches.push_back(event);
  }
  if (ranges.empty() || ranges.size() != launches.size()) return;
  const auto by_begin = [&](std::uint32_t a, std::uint32_t b) {
    return frame.events[a].ts < frame.events[b].ts;
  };
  std::stable_sort(ranges.begin(), ranges.end(), by_begin);
  std::stable_sort(launches.begin(), launches.end(), by_begin);

  const CallGraph graph(frame);
  const RankTrace& trace = *frame.trace;
  const auto& columns = SchemaOf<CuptiCounterRows>();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::vector<std::string_view> ops;
    for (std::uint32_t event = launches[i]; event != CallGraph::kRoot;
         event = graph[event].parent) {
      if (frame.CategoryOf(frame.events[event]) == "cpu_op")
        ops.push_back(frame.NameOf(frame.events[event]));
    }
    std::string stack;
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (!stack.empty()) stack += " -> ";
      stack += *op;
    }
    const Event& range = frame.events[ranges[i]];
    for (const CounterArgs& counter : trace.CountersOf(range.row)) {
      table.Add({columns.index = frame.IndexOf(range), columns.name = frame.NameOf(range),
                 columns.ts = range.ts, columns.dur = static_cast<double>(range.dur),
                 columns.launch = frame.IndexOf(frame.events[launches[i]]),
                 columns.op_stack = stack,
                 columns.top = ops.empty() ? Value(kNull) : Value(ops.back()),
                 columns.bottom = ops.empty() ? Value(kNull) : Value(ops.front()),
                 columns.counter = trace.strings.Get(counter.name), columns.value = counter.value});
    }
  }
}

}  // namespace

const Analysis& CuptiCounters() {
  static const Analysis kAnalysis = JoinedOverRanks<CuptiCounterRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's get_cupti_counter_data_with_operators: CUPTI's counters and the ops",
          .definition =
              "Events of category cuda_profiler_range and calls of cudaLaunchKernel, both by begin "
              "and paired by place; nothing where their numbers differ. One row per counter, where "
              "HTA has a column; ops are those of hta.call_graph around the launch. What "
              "kernel_counters makes of them needs no equal numbers.",
          .example = "rankscope table hta.cupti_counters traces/ --set ranks=0",
          .options = {},
          .job_options = {Ranks()},
          .make = Filling(MakeCuptiCounters),
      },
      {SchemaOf<CuptiCounterRows>().ts});
  return kAnalysis;
}

}  // namespace rankscope::hta
