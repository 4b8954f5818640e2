#include <algorithm>

#include "analysis/graphs/analyses.h"
#include "analysis/graphs/graph_join.h"
#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "op_cost/op_cost.h"
#include "schemas/columns.h"
#include "schemas/graphs.h"
#include "statistics/statistics.h"
#include "table/or_null.h"
#include "table/schema.h"

namespace rankscope {
namespace {

constexpr std::string_view kGraphAnalysesDefinition =
    "A graph is told by the names of the kernels and the number of copies and memsets that a "
    "launch (cudaGraphLaunch, hipGraphLaunch) runs. Its owners are those of the launches that a "
    "trace recorded between StreamBeginCapture and StreamEndCapture, in any file that is given, "
    "selected by --capture or not: capture the graphs under the profiler, too, and give that trace "
    "together with the others. Where these launches name their kernels (HIP), the n-th kernel of a "
    "name in the graph is the n-th of that name in the capture; elsewhere (CUDA) the n-th kernel "
    "is the n-th launch, for graphs that run on one stream and have as many nodes. Captures that "
    "the same graph could come from (batch sizes, pieces of a model) are merged: what they do not "
    "agree on is (captures differ). With --steps a node counts in the step in which it begins, a "
    "launch in that of its first work.";

// Makes a table of the graphs of all ranks.
template <Table (*kRows)(const GraphsOfJob&, const Options&)>
struct GraphAnalysesState {
  explicit GraphAnalysesState(const Options& of_analysis) : options(of_analysis) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    return graphs.Add(capture, tables);
  }
  void Merge(GraphAnalysesState&& other) { graphs.Merge(std::move(other.graphs)); }
  Result<Table> Finish(const JobContext&) {
    RS_RETURN_IF_ERROR(graphs.Join());
    return kRows(graphs, options);
  }

  Options options;
  GraphsOfJob graphs;
};

Value CountIf(std::int64_t count) { return count > 0 ? Value(count) : Value(kNull); }

std::string_view OrNone(const std::string& text, std::string_view none) {
  return text.empty() ? none : std::string_view(text);
}

Table GraphsTable(const GraphsOfJob& found, const Options&) {
  const std::int64_t all_ns = found.device_ns();
  const auto& columns = SchemaOf<Graphs>();
  auto table = columns.NewTable("graphs");
  for (const auto& [id, graph] : found.graphs()) {
    const bool is_known = !graph.nodes.empty();
    const auto known = [&](std::int64_t value) { return is_known ? Value(value) : Value(kNull); };
    const Value mean_span =
        graph.launches > 0
            ? Value(static_cast<double>(graph.span_ns) / static_cast<double>(graph.launches))
            : Value(kNull);
    table.Add({columns.graph = id, columns.ranks = static_cast<std::int64_t>(graph.ranks.size()),
               columns.launches = graph.launches, columns.kernels = known(graph.counts[0]),
               columns.copies = known(graph.counts[1]), columns.memsets = known(graph.counts[2]),
               columns.streams = known(graph.streams), columns.device_ns = graph.device_ns,
               columns.share_pct = Percent(graph.device_ns, all_ns),
               columns.mean_span_ns = mean_span,
               columns.busy_pct = Percent(graph.busy_ns, graph.span_ns),
               columns.captures = CountIf(graph.captures), columns.owners_by = ToString(graph.by)});
  }
  table.SortBy({{columns.device_ns, true}, {columns.graph}});
  return table;
}

struct OpSum {
  std::int64_t nodes = 0;
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
  std::set<std::int64_t> ranks;
};

Table OpsTable(const GraphsOfJob& found, const Options& options) {
  const std::int64_t all_ns = found.device_ns();
  using Op = std::optional<std::string_view>;  // not known without a capture
  std::map<std::pair<Op, std::string_view>, OpSum> sums;
  const auto sum_of = [&](Op op, std::string_view module, const CudaGraph& graph) {
    OpSum& sum = sums[{op, module}];
    sum.ranks.insert(graph.ranks.begin(), graph.ranks.end());
    return &sum;
  };
  for (const auto& [id, graph] : found.graphs()) {
    for (const CudaGraph::Node& node : graph.nodes) {
      OpSum* sum = node.owner == nullptr
                       ? sum_of(std::nullopt, "", graph)
                       : sum_of(OrNone(node.owner->op, kNoOp), node.owner->module_class, graph);
      ++sum->nodes;
      sum->count += node.count;
      AddSaturating(sum->device_ns, node.device_ns);
    }
    if (graph.nodes.empty())
      AddSaturating(sum_of(std::nullopt, "", graph)->device_ns, graph.device_ns);
  }
  const auto& columns = SchemaOf<GraphOps>();
  auto table = columns.NewTable("graph_ops");
  for (const auto& [key, sum] : sums) {
    const Value mean =
        sum.count > 0 ? Value(static_cast<double>(sum.device_ns) / static_cast<double>(sum.count))
                      : Value(kNull);
    table.Add({columns.op = key.first,
               columns.module = key.second.empty() ? Value(kNull) : Value(key.second),
               columns.ranks = static_cast<std::int64_t>(sum.ranks.size()),
               columns.nodes = CountIf(sum.nodes), columns.count = sum.count,
               columns.device_ns = sum.device_ns, columns.mean_ns = mean,
               columns.share_pct = Percent(sum.device_ns, all_ns)});
  }
  table.SortBy({{columns.device_ns, true}, {columns.op}, {columns.module}});
  const std::int64_t top = CountOption(options, "top");
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

struct GraphNodes : Schema<GraphNodes> {
  static constexpr std::string_view kName = "graph_nodes";

  StringColumn graph = Text("graph", "as in graphs");
  StringColumn kind = Text("kind", "kernel, copy or memset");
  IntColumn nth = Int("nth", "", "place among the nodes of its kind by begin in a launch, from 0");
  StringColumn name = Text("name", "of the kernel or copy");
  IntColumn count = Int("count", "", "how often it ran, on all ranks");
  IntColumn device_ns = Int("device_ns", "ns", "sum of its durations");
  RealColumn mean_ns = Real("mean_ns", "ns", "device_ns / count");
  IntColumn max_ns = Int("max_ns", "ns", "its longest run");
  StringColumn op = Text("op", "as in graph_ops");
  StringColumn module =
      Text("module", "path of the module around its captured launch; null: in none");
  StringColumn function =
      Text("function",
           "innermost Python function around that, with file and line, that is neither "
           "PyTorch's nor the interpreter's; null: none is recorded");
  StringColumn shapes = Text("shapes", "of the inputs of the op as recorded, JSON; null: none are");
  StringColumn dtypes = Text("dtypes", "of the inputs of the op as recorded, JSON; null: none are");
};

Table NodesTable(const GraphsOfJob& found, const Options&) {
  const auto& columns = SchemaOf<GraphNodes>();
  auto table = columns.NewTable(std::string(GraphNodes::kName));
  for (const auto& [id, graph] : found.graphs()) {
    for (const CudaGraph::Node& node : graph.nodes) {
      static const NodeOwner kNone;
      const NodeOwner& owner = node.owner == nullptr ? kNone : *node.owner;
      const Value op = node.owner == nullptr ? Value(kNull) : Value(OrNone(owner.op, kNoOp));
      const Value mean =
          node.count > 0
              ? Value(static_cast<double>(node.device_ns) / static_cast<double>(node.count))
              : Value(kNull);
      table.Add(
          {columns.graph = id, columns.kind = ToString(node.kind), columns.nth = node.nth,
           columns.name = node.name, columns.count = node.count, columns.device_ns = node.device_ns,
           columns.mean_ns = mean, columns.max_ns = node.max_ns, columns.op = op,
           columns.module = TextOrNull(owner.module), columns.function = TextOrNull(owner.function),
           columns.shapes = TextOrNull(owner.shapes), columns.dtypes = TextOrNull(owner.dtypes)});
    }
  }
  table.SortBy({{columns.graph}, {columns.kind}, {columns.nth}});
  return table;
}

}  // namespace

const Analysis& GraphNodesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "graph_nodes",
      .size = Size::kDetail,
      .summary = "CUDA graphs node by node: time, and the op, module, line and shapes behind each",
      .definition = std::string(kGraphAnalysesDefinition),
      .example = "rankscope table graph_nodes capture.json.gz replay.json.gz",
      .columns = SchemaOf<GraphNodes>().columns(),
      .mapper = {.name = "graph_nodes",
                 .version = 2,
                 .tables = GraphPartialColumns(),
                 .uses = {kOpCostComponent},
                 .map = [](const TraceFacts& facts,
                           const MapOptions& options) { return MapGraphs(facts, options.steps); }},
      .reducer = ReduceBy<GraphAnalysesState<NodesTable>>(),
      .of_all_captures = true,
  };
  return kAnalysis;
}

const Analysis& GraphsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "graphs",
      .summary = "CUDA graphs that were launched: how often, how long, how full",
      .definition = std::string(kGraphAnalysesDefinition),
      .example = "rankscope table graphs traces/",
      .columns = SchemaOf<Graphs>().columns(),
      .mapper = GraphNodesAnalysis().mapper,
      .reducer = ReduceBy<GraphAnalysesState<GraphsTable>>(),
      .of_all_captures = true,
  };
  return kAnalysis;
}

const Analysis& GraphOpsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "graph_ops",
      .summary = "device time inside CUDA graphs by the op and module that were captured",
      .definition = std::string(kGraphAnalysesDefinition),
      .example = "rankscope table graph_ops capture.json.gz replay.json.gz",
      .columns = SchemaOf<GraphOps>().columns(),
      .options = {{"top", "0", "keep the rows with the most device time; 0 = all",
                   OptionType::kCount}},
      .mapper = GraphNodesAnalysis().mapper,
      .reducer = ReduceBy<GraphAnalysesState<OpsTable>>(),
      .of_all_captures = true,
  };
  return kAnalysis;
}

}  // namespace rankscope
