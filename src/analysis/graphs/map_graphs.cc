#include <fmt/core.h>

#include "analysis/graphs/graph_join.h"
#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::string IdText(GraphId id) { return fmt::format("{:016x}", id); }

// A trace may launch ever other graphs, and capture as many: nodes beyond are left out, the graphs
// with the least device time first, and count as a graph without a capture.
constexpr std::size_t kMostNodes = 200'000;

void AddReplayed(const RankTrace& trace, const std::vector<ReplayedGraph>& graphs,
                 TableOf<ReplayedGraphPartial>& table, TableOf<ReplayedNodePartial>& nodes) {
  const auto& of_graph = SchemaOf<ReplayedGraphPartial>();
  const auto& of_node = SchemaOf<ReplayedNodePartial>();
  const auto add = [&](const ReplayedGraph& graph, std::string_view id) {
    const BatchSums& batch = graph.batch;
    table.Add({of_graph.graph = id, of_graph.kernels = graph.counts[0],
               of_graph.copies = graph.counts[1], of_graph.memsets = graph.counts[2],
               of_graph.streams = graph.streams, of_graph.launches = graph.launches,
               of_graph.device_ns = graph.device_ns, of_graph.span_ns = graph.span_ns,
               of_graph.busy_ns = graph.busy_ns, of_graph.device = graph.device,
               of_graph.batches = graph.batches, of_graph.queries = batch.queries,
               of_graph.keys = batch.keys, of_graph.prefill_squares = batch.prefill_squares,
               of_graph.prefill_pairs = batch.prefill_pairs,
               of_graph.decode_pairs = batch.decode_pairs});
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
      nodes.Add({of_node.graph = number, of_node.kind = static_cast<std::int64_t>(node.kind),
                 of_node.name = trace.strings.Get(node.name), of_node.is_compute = node.is_compute,
                 of_node.nth = node.nth, of_node.count = node.count,
                 of_node.device_ns = node.device_ns, of_node.max_ns = node.max_ns});
    }
  }
  if (others.launches > 0 || others.device_ns > 0) add(others, kOtherFrames);
}

void AddCaptured(const RankTrace& trace, const CapturedGraphs& found,
                 TableOf<CapturedGraphPartial>& table, TableOf<CapturedNodePartial>& nodes) {
  const auto text = [](std::uint32_t id, const auto& of) {
    if (id == CapturedNode::kNone) return std::string_view();
    return id == CapturedNode::kUnknown ? kCapturesDiffer : std::string_view(of(id));
  };
  const auto string = [&](std::uint32_t id) { return trace.strings.Get(id); };
  const auto module = [&](std::uint32_t id) { return std::string_view(found.modules[id]); };
  const auto classes = [&](std::uint32_t id) { return std::string_view(found.module_classes[id]); };
  const auto& of_graph = SchemaOf<CapturedGraphPartial>();
  const auto& c = SchemaOf<CapturedNodePartial>();
  std::size_t kept = 0;
  for (const CapturedGraph& graph : found.graphs) {
    kept += graph.nodes.size();
    if (kept > kMostNodes) return;
    const auto number = static_cast<std::int64_t>(table.row_count());
    const std::string id = graph.is_named ? IdText(graph.id) : std::string();
    table.Add({of_graph.graph = id.empty() ? Value(kNull) : Value(std::string_view(id)),
               of_graph.kernels = graph.counts[0], of_graph.copies = graph.counts[1],
               of_graph.memsets = graph.counts[2], of_graph.captures = graph.captures});
    for (const CapturedNode& node : graph.nodes) {
      const bool is_modelled = node.cost < CapturedNode::kUnknown;
      const CapturedCost* of = is_modelled ? &found.costs[node.cost] : nullptr;
      const PagedShape* paged = of != nullptr && of->paged ? &*of->paged : nullptr;
      // Null without a model.
      const auto known = [](const void* there, auto value) {
        return there != nullptr ? Value(value()) : Value(kNull);
      };
      nodes.Add({c.graph = number,
                 c.op = text(node.op, string),
                 c.module_path = text(node.module, module),
                 c.module_class = text(node.module_class, classes),
                 c.function = text(node.function, string),
                 c.shapes = text(node.shapes, string),
                 c.dtypes = text(node.dtypes, string),
                 c.cost_op = known(of, [&] { return trace.strings.Get(of->op); }),
                 c.cost_family = known(of, [&] { return ToString(of->cost.family); }),
                 c.cost_shapes = known(of, [&] { return trace.strings.Get(of->shapes); }),
                 c.cost_dtype = known(of, [&] { return std::string_view(of->cost.dtype); }),
                 c.flops = known(of, [&] { return of->cost.flops; }),
                 c.bytes = known(of, [&] { return of->cost.bytes; }),
                 c.fits = known(of, [&] { return of->cost.fits_matrix_cores; }),
                 c.lower_bound = known(of, [&] { return of->cost.is_lower_bound; }),
                 c.begins_run = known(of, [&] { return node.begins_run; }),
                 c.hq = known(paged, [&] { return paged->hq; }),
                 c.hk = known(paged, [&] { return paged->hk; }),
                 c.dqk = known(paged, [&] { return paged->dqk; }),
                 c.dv = known(paged, [&] { return paged->dv; })});
    }
  }
}

}  // namespace

std::vector<Table> MapGraphs(const TraceFacts& facts, const StepFilter& steps) {
  auto replayed = SchemaOf<ReplayedGraphPartial>().NewPartial("replayed");
  auto replayed_nodes = SchemaOf<ReplayedNodePartial>().NewPartial("replayed_nodes");
  auto captured = SchemaOf<CapturedGraphPartial>().NewPartial("captured");
  auto captured_nodes = SchemaOf<CapturedNodePartial>().NewPartial("captured_nodes");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, steps);
  AddReplayed(trace, ReplayedGraphsOf(facts, windows), replayed, replayed_nodes);
  AddCaptured(trace, CapturedGraphsOf(trace), captured, captured_nodes);
  return MoveTables(std::move(replayed), std::move(replayed_nodes), std::move(captured),
                    std::move(captured_nodes));
}

}  // namespace rankscope
