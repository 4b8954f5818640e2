#include <fmt/format.h>

#include "analysis/frame_sums.h"
#include "analysis/graphs/graph_join.h"
#include "analysis/windows.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

std::string IdText(GraphId id) { return fmt::format("{:016x}", id); }

// A trace may launch ever other graphs, and capture as many: nodes beyond are left out, the graphs
// with the least device time first, and count as a graph without a capture.
constexpr std::size_t kMostNodes = 200'000;

std::vector<ColumnSpec> GraphColumns() {
  return {{"graph", ColumnType::kString}, {"kernels"}, {"copies"}, {"memsets"}};
}

void AddReplayed(const RankTrace& trace, const std::vector<ReplayedGraph>& graphs, Table& table,
                 Table& nodes) {
  const auto add = [&](const ReplayedGraph& graph, std::string_view id) {
    const BatchSums& batch = graph.batch;
    table.AddRow({id, graph.counts[0], graph.counts[1], graph.counts[2], graph.streams,
                  graph.launches, graph.device_ns, graph.span_ns, graph.busy_ns, graph.device,
                  graph.batches, batch.queries, batch.keys, batch.prefill_squares,
                  batch.prefill_pairs, batch.decode_pairs});
  };
  std::size_t kept = 0;
  ReplayedGraph others;
  for (const ReplayedGraph& graph : graphs) {
    kept += graph.nodes.size();
    if (kept > kMostNodes) {
      AddSaturating(others.launches, graph.launches);
      AddSaturating(others.device_ns, graph.device_ns);
      AddSaturating(others.span_ns, graph.span_ns);
      AddSaturating(others.busy_ns, graph.busy_ns);
      continue;
    }
    const auto number = static_cast<std::int64_t>(table.row_count());
    add(graph, IdText(graph.id));
    for (const ReplayedNode& node : graph.nodes) {
      nodes.AddRow({number, static_cast<std::int64_t>(node.kind), trace.strings.Get(node.name),
                    node.is_compute, node.nth, node.count, node.device_ns, node.max_ns});
    }
  }
  if (others.launches > 0 || others.device_ns > 0) add(others, kOtherFrames);
}

void AddCaptured(const RankTrace& trace, const CapturedGraphs& found, Table& table, Table& nodes) {
  const auto text = [](std::uint32_t id, const auto& of) {
    if (id == CapturedNode::kNone) return std::string_view();
    return id == CapturedNode::kUnknown ? kCapturesDiffer : std::string_view(of(id));
  };
  const auto string = [&](std::uint32_t id) { return trace.strings.Get(id); };
  const auto module = [&](std::uint32_t id) { return std::string_view(found.modules[id]); };
  const auto classes = [&](std::uint32_t id) { return std::string_view(found.module_classes[id]); };
  std::size_t kept = 0;
  for (const CapturedGraph& graph : found.graphs) {
    kept += graph.nodes.size();
    if (kept > kMostNodes) return;
    const auto number = static_cast<std::int64_t>(table.row_count());
    const std::string id = graph.is_named ? IdText(graph.id) : std::string();
    table.AddRow({id.empty() ? Value(kNull) : Value(std::string_view(id)), graph.counts[0],
                  graph.counts[1], graph.counts[2], graph.captures});
    for (const CapturedNode& node : graph.nodes) {
      std::vector<Value> row = {number,
                                text(node.op, string),
                                text(node.module, module),
                                text(node.module_class, classes),
                                text(node.function, string),
                                text(node.shapes, string),
                                text(node.dtypes, string)};
      if (node.cost < CapturedNode::kUnknown) {
        const auto& [op, shapes, cost, paged] = found.costs[node.cost];
        row.insert(row.end(), {trace.strings.Get(op), ToString(cost.family),
                               trace.strings.Get(shapes), cost.dtype, cost.flops, cost.bytes,
                               cost.fits_matrix_cores, cost.is_lower_bound, node.begins_run});
        if (paged) row.insert(row.end(), {paged->hq, paged->hk, paged->dqk, paged->dv});
      }
      row.resize(nodes.column_count(), kNull);
      nodes.AddRow(row);
    }
  }
}

}  // namespace

std::vector<Table> MapGraphs(const TraceFacts& facts, const StepFilter& steps) {
  std::vector<ColumnSpec> columns = GraphColumns();
  columns.insert(columns.end(), {{"streams"},
                                 {"launches"},
                                 {"device_ns"},
                                 {"span_ns"},
                                 {"busy_ns"},
                                 {"device", ColumnType::kString},
                                 {"batches"},
                                 {"queries", ColumnType::kDouble},
                                 {"keys", ColumnType::kDouble},
                                 {"prefill_squares", ColumnType::kDouble},
                                 {"prefill_pairs", ColumnType::kDouble},
                                 {"decode_pairs", ColumnType::kDouble}});
  Table replayed("replayed", columns);
  Table replayed_nodes("replayed_nodes", {{"graph"},
                                          {"kind"},
                                          {"name", ColumnType::kString},
                                          {"is_compute", ColumnType::kBool},
                                          {"nth"},
                                          {"count"},
                                          {"device_ns"},
                                          {"max_ns"}});
  columns = GraphColumns();
  columns.push_back({"captures"});
  Table captured("captured", columns);
  Table captured_nodes("captured_nodes", {{"graph"},
                                          {"op", ColumnType::kString},
                                          {"module", ColumnType::kString},
                                          {"module_class", ColumnType::kString},
                                          {"function", ColumnType::kString},
                                          {"shapes", ColumnType::kString},
                                          {"dtypes", ColumnType::kString},
                                          {"cost_op", ColumnType::kString},
                                          {"cost_family", ColumnType::kString},
                                          {"cost_shapes", ColumnType::kString},
                                          {"cost_dtype", ColumnType::kString},
                                          {"flops", ColumnType::kDouble},
                                          {"bytes", ColumnType::kDouble},
                                          {"fits", ColumnType::kBool},
                                          {"lower_bound", ColumnType::kBool},
                                          {"begins_run", ColumnType::kBool},
                                          {"hq", ColumnType::kDouble},
                                          {"hk", ColumnType::kDouble},
                                          {"dqk", ColumnType::kDouble},
                                          {"dv", ColumnType::kDouble}});
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, steps);
  AddReplayed(trace, ReplayedGraphsOf(facts, windows), replayed, replayed_nodes);
  AddCaptured(trace, CapturedGraphsOf(trace), captured, captured_nodes);
  return {replayed, replayed_nodes, captured, captured_nodes};
}

}  // namespace rankscope
