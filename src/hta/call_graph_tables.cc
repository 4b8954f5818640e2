// hta.call_graph, hta.frequent_cuda_kernel_sequences and hta.frequent_cuda_kernel_events.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/saturating.h"
#include "hta/analyses.h"
#include "hta/call_graph.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct CallGraphRows : Schema<CallGraphRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.call_graph";

  IntColumn index = Int("index", "", "event in the file");
  StringColumn name = Text("name", "its name");
  IntColumn parent = Int("parent", "",
                         "index of the event around it, or the launch of device work; minus the "
                         "thread's id below nothing, -1 for what is not in the graph");
  IntColumn depth = Int("depth", "", "events around it; -1 for what is not in the graph");
  IntColumn height =
      Int("height", "", "0 for device work, else one more than the highest below it, at least 1");
  IntColumn kernels = Int("num_kernels", "", "device work at or below it");
  RealColumn kernel_time = Real("kernel_dur_sum", "us", "the sum of their durations");
  IntColumn first_kernel = Int("first_kernel_start", "us",
                               "begin of the first of them, from the first of all events; null "
                               "without any");
  IntColumn last_kernel =
      Int("last_kernel_end", "us", "end of the last of them as the file counts time");
  IntColumn kernel_span = Int("kernel_span", "us", "from that begin to that end");
};

void MakeCallGraph(const Frame& frame, const Options&, TableOf<CallGraphRows>& table) {
  const auto& columns = SchemaOf<CallGraphRows>();
  const CallGraph graph(frame);
  const auto index_of = [&](std::uint32_t event) { return frame.IndexOf(frame.events[event]); };
  for (std::uint32_t event = 0; event < frame.events.size(); ++event) {
    const CallGraph::Node& node = graph[event];
    std::int64_t parent = -1;
    if (node.depth >= 0)
      parent = node.parent == CallGraph::kRoot ? -std::abs(node.tid) : index_of(node.parent);
    table.Add({columns.index = index_of(event), columns.name = frame.NameOf(frame.events[event]),
               columns.parent = parent, columns.depth = std::int64_t{node.depth},
               columns.height = std::int64_t{node.height}, columns.kernels = node.kernels,
               columns.kernel_time = static_cast<double>(node.kernel_us),
               columns.first_kernel = node.kernels == 0 ? Value(kNull) : Value(node.first_kernel),
               columns.last_kernel = node.kernels == 0 ? Value(kNull) : Value(node.last_kernel),
               columns.kernel_span =
                   node.kernels == 0 ? Value(kNull) : Value(node.last_kernel - node.first_kernel)});
  }
}

struct SequenceRows : Schema<SequenceRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.frequent_cuda_kernel_sequences";

  StringColumn pattern = Text("pattern", "the op and the device work below it, joined by |");
  IntColumn count = Int("count", "", "how often the op launches just this");
  RealColumn kernel_time =
      Real("GPU kernel duration (us)", "us", "sum of the durations of that work, over all calls");
  RealColumn op_time = Real("CPU op duration (us)", "us", "sum of the durations of the calls");
};

struct SequenceEventRows : Schema<SequenceEventRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.frequent_cuda_kernel_events";

  StringColumn pattern = Text("pattern", "as in hta.frequent_cuda_kernel_sequences");
  IntColumn count = Int("count", "", "of that pattern");
  IntColumn index = Int("index", "", "event in the file that is part of it");
};

struct Pattern {
  std::vector<std::uint32_t> events;  // of the ops and what is below them
  std::int64_t count = 0;
  std::int64_t kernel_us = 0;
  std::int64_t op_us = 0;
};

// The op and all that is below it.
std::vector<std::uint32_t> EventsBelow(const CallGraph& graph, std::uint32_t op) {
  std::vector<std::uint32_t> events = {op};
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (const std::uint32_t child : graph.ChildrenOf(events[i])) events.push_back(child);
  }
  return events;
}

// The op's name and those of the device work below it, in the order of its begins.
std::string PatternOf(const Frame& frame, const std::vector<std::uint32_t>& events) {
  std::vector<std::uint32_t> work;
  std::copy_if(events.begin() + 1, events.end(), std::back_inserter(work),
               [&](std::uint32_t event) { return frame.events[event].on_stream(); });
  std::stable_sort(work.begin(), work.end(), [&](std::uint32_t a, std::uint32_t b) {
    return frame.events[a].ts < frame.events[b].ts;
  });
  std::string pattern(frame.NameOf(frame.events[events.front()]));
  for (const std::uint32_t one : work) {
    pattern += '|';
    pattern += frame.NameOf(frame.events[one]);
  }
  return pattern;
}

std::map<std::string, Pattern> PatternsOf(const Frame& frame, const Options& options) {
  const NameSet names =
      NameSet::Holding(frame.trace->strings, options.find("operator_name")->second);
  const std::int64_t shortest = CountOf(options, "min_pattern_len");
  const CallGraph graph(frame);
  std::vector<std::uint32_t> ops;
  std::int32_t least_depth = INT32_MAX;
  for (std::uint32_t event = 0; event < frame.events.size(); ++event) {
    if (frame.events[event].on_stream() || graph[event].depth < 0 ||
        !names.Contains(frame.trace->name[frame.events[event].row]))
      continue;
    ops.push_back(event);
    least_depth = std::min(least_depth, graph[event].depth);
  }
  std::map<std::string, Pattern> patterns;
  for (const std::uint32_t op : ops) {
    const CallGraph::Node& node = graph[op];
    if (node.depth != least_depth || node.kernels < shortest) continue;
    const std::vector<std::uint32_t> events = EventsBelow(graph, op);
    Pattern& pattern = patterns[PatternOf(frame, events)];
    pattern.events.insert(pattern.events.end(), events.begin(), events.end());
    ++pattern.count;
    AddSaturating(pattern.kernel_us, node.kernel_us);
    AddSaturating(pattern.op_us, frame.events[op].dur);
  }
  return patterns;
}

void MakeSequences(const Frame& frame, const Options& options, TableOf<SequenceRows>& table) {
  const auto& columns = SchemaOf<SequenceRows>();
  for (const auto& [text, pattern] : PatternsOf(frame, options)) {
    table.Add({columns.pattern = text, columns.count = pattern.count,
               columns.kernel_time = static_cast<double>(pattern.kernel_us),
               columns.op_time = static_cast<double>(pattern.op_us)});
  }
  table.SortBy({{columns.count, true}, {columns.pattern}});
}

void MakeSequenceEvents(const Frame& frame, const Options& options,
                        TableOf<SequenceEventRows>& table) {
  const auto& columns = SchemaOf<SequenceEventRows>();
  for (const auto& [text, pattern] : PatternsOf(frame, options)) {
    for (const std::uint32_t event : pattern.events) {
      table.Add({columns.pattern = text, columns.count = pattern.count,
                 columns.index = frame.IndexOf(frame.events[event])});
    }
  }
  table.SortBy({{columns.count, true}, {columns.pattern}, {columns.index}});
}

}  // namespace

const Analysis& CallGraphTable() {
  static const Analysis kAnalysis = JoinedOverRanks<CallGraphRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's CallGraph: what calls what, and the device work below it",
          .definition =
              "Host events of a thread nested by time, in whole microseconds; an end closes what "
              "was "
              "opened last. Device work hangs from the call that launches it. Where just one "
              "thread "
              "has steps and just one other autograd functions, what is outermost there hangs from "
              "the \"## backward ##\" range around it, or the step. kernel_span, for which HTA "
              "mixes "
              "two clocks, is the time in between.",
          .example = "rankscope table hta.call_graph traces/ --set ranks=0",
          .options = {},
          .job_options = {Ranks()},
          .make = Filling(MakeCallGraph),
      },
      {SchemaOf<CallGraphRows>().first_kernel});
  return kAnalysis;
}

const Analysis& FrequentCudaKernelSequences() {
  static const Analysis kAnalysis = JoinedOverRanks<SequenceRows>({
      .size = Size::kSummary,
      .summary = "HTA's get_frequent_cuda_kernel_sequences: device work that ops launch again and "
                 "again",
      .definition =
          "Events on the host whose names hold operator_name and that are outermost among all "
          "such (by depth in hta.call_graph), with min_pattern_len or more device work below "
          "them, grouped by that work's names in the order of its begins. The trace with the "
          "patterns marked, which HTA also writes, is for rankscope.hta in Python.",
      .example = "rankscope table hta.frequent_cuda_kernel_sequences traces/ "
                 "--set operator_name=aten::linear --set min_pattern_len=1",
      .options = {OperatorName(), MinPatternLen()},
      .job_options = {Rank()},
      .make = Filling(MakeSequences),
  });
  return kAnalysis;
}

const Analysis& FrequentCudaKernelEvents() {
  static const Analysis kAnalysis = JoinedOverRanks<SequenceEventRows>({
      .size = Size::kDetail,
      .summary = "The events of hta.frequent_cuda_kernel_sequences",
      .definition = "A row for each op of hta.frequent_cuda_kernel_sequences and each event below "
                    "it, with the pattern that it is part of.",
      .example = "rankscope table hta.frequent_cuda_kernel_events traces/ "
                 "--set operator_name=aten::linear --format csv",
      .options = {OperatorName(), MinPatternLen()},
      .job_options = {Rank()},
      .make = Filling(MakeSequenceEvents),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
