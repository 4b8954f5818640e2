#include "analysis/graphs/graph_join.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {

template const ReplayedGraphPartial& SchemaOf<ReplayedGraphPartial>();
template const ReplayedNodePartial& SchemaOf<ReplayedNodePartial>();
template const CapturedGraphPartial& SchemaOf<CapturedGraphPartial>();
template const CapturedNodePartial& SchemaOf<CapturedNodePartial>();
namespace {

void MergeText(std::string& into, const std::string& other) {
  if (into != other) into = kCapturesDiffer;
}

void MergeOwner(NodeOwner& into, const NodeOwner& other) {
  MergeText(into.op, other.op);
  MergeText(into.module, other.module);
  MergeText(into.module_class, other.module_class);
  MergeText(into.function, other.function);
  MergeText(into.shapes, other.shapes);
  MergeText(into.dtypes, other.dtypes);
  if (into.cost != other.cost || into.begins_run != other.begins_run || into.paged != other.paged)
    into.cost.reset();
}

template <typename GraphPartial>
NodeCounts CountsAt(ViewOf<GraphPartial> table, std::size_t row) {
  const auto& columns = SchemaOf<GraphPartial>();
  return {table.Int(row, columns.kernels), table.Int(row, columns.copies),
          table.Int(row, columns.memsets)};
}

Status Damaged() {
  return Error(StatusCode::kIo,
               "a stored result about graphs does not fit together; run again with "
               "--no-cache");
}

// Whether a graph of so many nodes of each kind has an nth of `kind`.
bool IsNodeOf(const NodeCounts& counts, std::int64_t kind, std::int64_t nth) {
  return kind >= 0 && kind < kNodeKindCount && nth >= 0 &&
         nth < counts[static_cast<std::size_t>(kind)];
}

// Calls visit(row of `graphs`, rows of its nodes [begin, end)).
template <typename Nodes, typename Visit>
Status ForEachGraph(const Table& graphs, ViewOf<Nodes> nodes,
                    ColumnHandle<Nodes, std::int64_t> graph, const Visit& visit) {
  std::size_t begin = 0;
  for (std::size_t row = 0; row < graphs.row_count(); ++row) {
    std::size_t end = begin;
    while (end < nodes.row_count() && nodes.Int(end, graph) == static_cast<std::int64_t>(row))
      ++end;
    RS_RETURN_IF_ERROR(visit(row, begin, end));
    begin = end;
  }
  return begin == nodes.row_count() ? OkStatus() : Damaged();
}

}  // namespace

std::string_view ToString(OwnedBy by) {
  static constexpr std::array<std::string_view, 4> kNames = {"names", "order", "no capture",
                                                             "order unknown"};
  return kNames[static_cast<std::size_t>(by)];
}

std::vector<std::vector<ColumnSpec>> GraphPartialColumns() {
  return {SchemaOf<ReplayedGraphPartial>().BareColumns(),
          SchemaOf<ReplayedNodePartial>().BareColumns(),
          SchemaOf<CapturedGraphPartial>().BareColumns(),
          SchemaOf<CapturedNodePartial>().BareColumns()};
}

Status GraphsOfJob::Add(const Capture& capture, std::span<const Table> tables) {
  if (tables.size() != 4) return Damaged();
  if (capture.selected) RS_RETURN_IF_ERROR(AddReplayed(capture, tables[0], tables[1]));
  return AddCaptured(tables[2], tables[3]);
}

Status GraphsOfJob::AddReplayed(const Capture& capture, ViewOf<ReplayedGraphPartial> graphs,
                                ViewOf<ReplayedNodePartial> nodes) {
  const auto& of_graph = SchemaOf<ReplayedGraphPartial>();
  const auto& of_node = SchemaOf<ReplayedNodePartial>();
  return ForEachGraph(
      graphs, nodes, of_node.graph, [&](std::size_t row, std::size_t begin, std::size_t end) {
        CudaGraph graph;
        graph.counts = CountsAt<ReplayedGraphPartial>(graphs, row);
        graph.streams = graphs.Int(row, of_graph.streams);
        graph.launches = graphs.Int(row, of_graph.launches);
        graph.device_ns = graphs.Int(row, of_graph.device_ns);
        graph.span_ns = graphs.Int(row, of_graph.span_ns);
        graph.busy_ns = graphs.Int(row, of_graph.busy_ns);
        graph.batches = graphs.Int(row, of_graph.batches);
        graph.ranks.insert(capture.rank);
        graph.first_seen = {capture.rank, capture.index};
        graph.device = graphs.String(row, of_graph.device);
        if (graph.batches > 0) {
          graph.batch_of[*graph.first_seen] = {graphs.Double(row, of_graph.queries),
                                               graphs.Double(row, of_graph.keys),
                                               graphs.Double(row, of_graph.prefill_squares),
                                               graphs.Double(row, of_graph.prefill_pairs),
                                               graphs.Double(row, of_graph.decode_pairs)};
        }
        graph.nodes.reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
          const std::int64_t kind = nodes.Int(i, of_node.kind);
          const std::int64_t nth = nodes.Int(i, of_node.nth);
          if (!IsNodeOf(graph.counts, kind, nth)) return Damaged();
          graph.nodes.push_back({.kind = static_cast<GraphNodeKind>(kind),
                                 .name = std::string(nodes.String(i, of_node.name)),
                                 .is_compute = nodes.Bool(i, of_node.is_compute),
                                 .nth = nth,
                                 .count = nodes.Int(i, of_node.count),
                                 .device_ns = nodes.Int(i, of_node.device_ns),
                                 .max_ns = nodes.Int(i, of_node.max_ns)});
        }
        const auto [place, is_new] =
            graphs_.try_emplace(std::string(graphs.String(row, of_graph.graph)));
        if (is_new) {
          place->second = std::move(graph);
        } else {
          MergeGraph(place->second, std::move(graph), fits_);
        }
        return OkStatus();
      });
}

Status GraphsOfJob::AddCaptured(ViewOf<CapturedGraphPartial> graphs,
                                ViewOf<CapturedNodePartial> nodes) {
  const auto& of_graph = SchemaOf<CapturedGraphPartial>();
  const auto& of_node = SchemaOf<CapturedNodePartial>();
  return ForEachGraph(
      graphs, nodes, of_node.graph, [&](std::size_t row, std::size_t begin, std::size_t end) {
        Captured captured{.captures = graphs.Int(row, of_graph.captures), .nodes = {}};
        captured.nodes.reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
          const auto text = [&](auto column) {
            return nodes.IsNull(i, column) ? std::string() : std::string(nodes.String(i, column));
          };
          NodeOwner owner = {text(of_node.op),           text(of_node.module_path),
                             text(of_node.module_class), text(of_node.function),
                             text(of_node.shapes),       text(of_node.dtypes)};
          if (!nodes.IsNull(i, of_node.cost_op)) {
            owner.cost = {.op = text(of_node.cost_op),
                          .family = text(of_node.cost_family),
                          .shapes = text(of_node.cost_shapes),
                          .dtype = text(of_node.cost_dtype),
                          .flops = nodes.Double(i, of_node.flops),
                          .bytes = nodes.Double(i, of_node.bytes),
                          .fits_matrix_cores = nodes.Bool(i, of_node.fits),
                          .is_lower_bound = nodes.Bool(i, of_node.lower_bound)};
            owner.begins_run = nodes.Bool(i, of_node.begins_run);
            if (!nodes.IsNull(i, of_node.hq)) {
              owner.paged = {nodes.Double(i, of_node.hq), nodes.Double(i, of_node.hk),
                             nodes.Double(i, of_node.dqk), nodes.Double(i, of_node.dv)};
            }
          }
          captured.nodes.push_back(std::move(owner));
        }
        Captured& into = graphs.IsNull(row, of_graph.graph)
                             ? unnamed_[CountsAt<CapturedGraphPartial>(graphs, row)]
                             : named_[std::string(graphs.String(row, of_graph.graph))];
        MergeCaptured(into, std::move(captured), fits_);
        return OkStatus();
      });
}

void GraphsOfJob::MergeGraph(CudaGraph& into, CudaGraph&& other, bool& fits) {
  into.streams = std::max(into.streams, other.streams);
  AddSaturating(into.launches, other.launches);
  AddSaturating(into.device_ns, other.device_ns);
  AddSaturating(into.span_ns, other.span_ns);
  AddSaturating(into.busy_ns, other.busy_ns);
  AddSaturating(into.batches, other.batches);
  into.batch_of.merge(other.batch_of);
  into.ranks.merge(other.ranks);
  fits = fits && into.nodes.size() == other.nodes.size() && into.counts == other.counts;
  if (!fits) return;
  for (std::size_t i = 0; i < into.nodes.size(); ++i) {
    CudaGraph::Node& a = into.nodes[i];
    CudaGraph::Node& b = other.nodes[i];
    AddSaturating(a.count, b.count);
    AddSaturating(a.device_ns, b.device_ns);
    a.max_ns = std::max(a.max_ns, b.max_ns);
    if (other.first_seen < into.first_seen) {
      a.kind = b.kind;
      a.name = std::move(b.name);
      a.is_compute = b.is_compute;
      a.nth = b.nth;
    }
  }
  if (other.first_seen < into.first_seen) {
    into.first_seen = other.first_seen;
    into.device = std::move(other.device);
  }
}

void GraphsOfJob::MergeCaptured(Captured& into, Captured&& other, bool& fits) {
  if (into.captures == 0 && into.nodes.empty()) {
    into = std::move(other);
    return;
  }
  AddSaturating(into.captures, other.captures);
  fits = fits && into.nodes.size() == other.nodes.size();
  for (std::size_t i = 0; fits && i < into.nodes.size(); ++i)
    MergeOwner(into.nodes[i], other.nodes[i]);
}

void GraphsOfJob::Merge(GraphsOfJob&& other) {
  fits_ = fits_ && other.fits_;
  graphs_.merge(other.graphs_);  // leaves those that are in both
  for (auto& [id, graph] : other.graphs_) MergeGraph(graphs_.at(id), std::move(graph), fits_);
  named_.merge(other.named_);
  for (auto& [id, captured] : other.named_)
    MergeCaptured(named_.at(id), std::move(captured), fits_);
  unnamed_.merge(other.unnamed_);
  for (auto& [counts, captured] : other.unnamed_)
    MergeCaptured(unnamed_.at(counts), std::move(captured), fits_);
}

Status GraphsOfJob::Join() {
  if (!fits_) return Damaged();
  for (auto& [id, graph] : graphs_) {
    for (const auto& [seen, sums] : graph.batch_of) graph.batch += sums;
  }
  for (auto& [id, graph] : graphs_) {
    const auto named = named_.find(id);
    if (named != named_.end() && named->second.nodes.size() == graph.nodes.size()) {
      graph.by = OwnedBy::kNames;
      graph.captures = named->second.captures;
      for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        graph.nodes[i].owner = &named->second.nodes[i];
      continue;
    }
    const auto unnamed = unnamed_.find(graph.counts);
    if (unnamed == unnamed_.end()) continue;
    graph.captures = unnamed->second.captures;
    graph.by = graph.streams > 1 ? OwnedBy::kNoOrder : OwnedBy::kOrder;
    if (graph.by == OwnedBy::kNoOrder) continue;
    for (CudaGraph::Node& node : graph.nodes) {
      // Captured nodes are in order of their kinds.
      auto place = static_cast<std::size_t>(node.nth);
      for (std::size_t kind = 0; kind < static_cast<std::size_t>(node.kind); ++kind)
        place += static_cast<std::size_t>(graph.counts[kind]);
      if (place < unnamed->second.nodes.size()) node.owner = &unnamed->second.nodes[place];
    }
  }
  return OkStatus();
}

std::optional<RooflineKey> CostOfNode(const CudaGraph& graph, const CudaGraph::Node& node) {
  if (node.owner == nullptr || !node.owner->cost) return std::nullopt;
  RooflineKey key = *node.owner->cost;
  key.device = graph.device;
  if (!node.owner->paged) return key;
  if (graph.batches == 0 || graph.batches != graph.launches) return std::nullopt;
  const OpCost cost =
      PagedCost(*node.owner->paged, key.dtype, graph.batch.Per(static_cast<double>(graph.batches)));
  key.flops = cost.flops;
  key.bytes = cost.bytes;
  return key;
}

std::int64_t GraphsOfJob::device_ns() const {
  std::int64_t sum = 0;
  for (const auto& [id, graph] : graphs_) AddSaturating(sum, graph.device_ns);
  return sum;
}

}  // namespace rankscope
